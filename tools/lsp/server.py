"""The language server: what `features.py` and `actions.py` say of a document, in the words of the protocol.

pygls and its types are imported when a server is made: they are an optional extra.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote, urlsplit

from ... import __version__
from ...frontends.extras import required_module
from .actions import Action, actions
from .document import Document
from .features import Hint, Place, ShownDiagnostic, hints, hover, lenses, problems, targets

__all__ = ["make_server"]

_PAUSE = 0.03
"""How many seconds nothing must be typed before a text is analysed."""

_EXTRA = ("lsp", "inplace-lsp")


class _Documents:
    """The open documents, analysed when nothing is typed for a while, or when something is asked of them."""

    def __init__(self, workspace: Callable[[], Any], changed: Callable[[str, Document], None]) -> None:
        self._workspace = workspace
        self._changed = changed
        self._open: dict[str, Document] = {}
        self._waiting: dict[str, asyncio.TimerHandle] = {}

    def change(self, uri: str) -> None:
        """Note that a text is opened or changed."""
        if uri in self._waiting:
            self._waiting[uri].cancel()
        self._waiting[uri] = asyncio.get_running_loop().call_later(_PAUSE, self.current, uri)

    def current(self, uri: str) -> Document:
        """Return a document that is up to date."""
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        if waiting is not None or uri not in self._open:
            workspace = self._workspace()
            encoding = str(getattr(workspace.position_encoding, "value", workspace.position_encoding))
            document = self._open.setdefault(uri, Document(_file_of(uri), encoding))
            document.update(workspace.get_text_document(uri).source)
            self._changed(uri, document)
        return self._open[uri]

    def close(self, uri: str) -> None:
        """Forget a document."""
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        self._open.pop(uri, None)


def _file_of(uri: str) -> str:
    """Return the path of a file, and of what is no file its URI."""
    parts = urlsplit(uri)
    return unquote(parts.path) if parts.scheme == "file" else uri


class _Protocol:
    """Makes what the protocol wants of our data."""

    def __init__(self, types: Any) -> None:
        self.types = types

    def range(self, place: Place) -> Any:
        """The range of a place."""
        t = self.types
        return t.Range(t.Position(place.line, place.column), t.Position(place.line, place.column + place.length))

    def locations(self, uri: str, places: Iterable[Place]) -> list[Any]:
        """Places of a document."""
        return [self.types.Location(uri, self.range(place)) for place in places]

    def diagnostic(self, uri: str, problem: ShownDiagnostic) -> Any:
        """A diagnostic."""
        t = self.types
        severities = {"error": t.DiagnosticSeverity.Error, "warning": t.DiagnosticSeverity.Warning}
        related = [
            t.DiagnosticRelatedInformation(t.Location(uri, self.range(place)), message)
            for message, place in problem.notes
        ]
        severity = severities.get(problem.severity, t.DiagnosticSeverity.Information)
        return t.Diagnostic(
            self.range(problem.place), problem.message, severity, source="mlir-inplace", related_information=related
        )

    def hint(self, uri: str, hint: Hint) -> Any:
        """An inlay hint; a click on it leads to the read."""
        t = self.types
        target = None if hint.target is None else t.Location(uri, self.range(hint.target))
        label = t.InlayHintLabelPart(hint.text, tooltip=hint.tooltip, location=target)
        return t.InlayHint(t.Position(hint.place.line, hint.place.column), [label], padding_left=True)

    def action(self, uri: str, action: Action) -> Any:
        """A change of the text."""
        t = self.types
        lines = t.Range(t.Position(action.first, 0), t.Position(action.last, 0))
        edit = t.WorkspaceEdit(changes={uri: [t.TextEdit(lines, action.text)]})
        return t.CodeAction(action.title, t.CodeActionKind.QuickFix, edit=edit)


def make_server() -> Any:
    """Return a server, which its `start_io` runs. Raises `ImportError` if pygls is not installed."""
    types = required_module("lsprotocol.types", *_EXTRA)
    server = required_module("pygls.lsp.server", *_EXTRA).LanguageServer("inplace-lsp", f"v{__version__}")
    protocol = _Protocol(types)

    def publish(uri: str, document: Document | None) -> None:
        found = [] if document is None else [protocol.diagnostic(uri, problem) for problem in problems(document)]
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found))

    documents = _Documents(lambda: server.workspace, publish)

    def changed(parameters: Any) -> None:
        documents.change(parameters.text_document.uri)

    def closed(parameters: Any) -> None:
        documents.close(parameters.text_document.uri)
        publish(parameters.text_document.uri, None)

    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(changed)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(changed)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(closed)
    _add_requests(server, documents, protocol)
    return server


def _add_requests(server: Any, documents: _Documents, protocol: _Protocol) -> None:
    """Have the server answer what editors ask."""
    types = protocol.types

    def inlay_hints(parameters: Any) -> Any:
        uri, wanted = parameters.text_document.uri, parameters.range
        found = hints(documents.current(uri), wanted.start.line, wanted.end.line)
        return [protocol.hint(uri, hint) for hint in found]

    def hovered(parameters: Any) -> Any:
        at = parameters.position
        text = hover(documents.current(parameters.text_document.uri), at.line, at.character)
        return types.Hover(types.MarkupContent(types.MarkupKind.PlainText, text)) if text else None

    def code_lenses(parameters: Any) -> Any:
        found = lenses(documents.current(parameters.text_document.uri))
        return [types.CodeLens(protocol.range(Place(lens.line, 0)), types.Command(lens.text, "")) for lens in found]

    def definition(parameters: Any) -> Any:
        uri = parameters.text_document.uri
        return protocol.locations(uri, targets(documents.current(uri), parameters.position.line))

    def code_actions(parameters: Any) -> Any:
        uri = parameters.text_document.uri
        found = actions(documents.current(uri), parameters.range.start.line)
        return [protocol.action(uri, action) for action in found]

    kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    server.feature(types.TEXT_DOCUMENT_INLAY_HINT)(inlay_hints)
    server.feature(types.TEXT_DOCUMENT_HOVER)(hovered)
    server.feature(types.TEXT_DOCUMENT_CODE_LENS)(code_lenses)
    server.feature(types.TEXT_DOCUMENT_DEFINITION)(definition)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)(code_actions)
