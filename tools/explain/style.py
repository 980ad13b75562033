"""The looks of the page, and its script, which only searches."""

from __future__ import annotations

__all__ = ["SCRIPT", "STYLE"]

STYLE = """
:root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--dim:#59636e;--line:#d1d9e0;--soft:#f6f8fa;--link:#0550ae;
--copy:#b3261e;--copy-soft:#fdecea;--allocation:#8a5a00;--allocation-soft:#fff4dc;--result:#2f6f3e;
--result-soft:#e7f5ea;--argument:#3b6fb5;--hue0:#7fa7dc;--hue1:#e0a458;--hue2:#8fbf8f;--hue3:#d98cb3;--hue4:#b09be0;
--hue5:#7fc4c4;--on-hue:#14181d}
@media (prefers-color-scheme:dark){:root{--back:#0d1117;--text:#e6edf3;--dim:#9198a1;--line:#3d444d;--soft:#161b22;
--link:#79b8ff;--copy:#ff8f86;--copy-soft:#3a1715;--allocation:#e3b341;--allocation-soft:#332711;--result:#7ee08f;
--result-soft:#12301b;--argument:#79a9ea}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0 auto;max-width:76rem;padding:0 1rem 3rem;background:var(--back);color:var(--text);
font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
section{scroll-margin-top:3rem}
h1{font-size:1.5rem;margin:1rem 0 .5rem}h2{font-size:1.25rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}
h3{font-size:1.05rem;margin:1.2rem 0 .4rem}h4{font-size:1rem;margin:0}
a{color:var(--link)}code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",monospace}
pre{margin:.4rem 0;white-space:pre-wrap;background:var(--soft);padding:.3rem .5rem}
ul,ol{margin:.2rem 0;padding-left:1.2rem}p{margin:.4rem 0}
.summary{font-size:1.1rem}.nothing{color:var(--result);font-weight:600}
.totals{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;padding:0;margin:.8rem 0}
.totals li{border:1px solid var(--line);border-radius:.4rem;padding:.2rem .7rem}
nav{display:flex;flex-wrap:wrap;gap:.3rem 1rem;margin:.6rem 0}
#search{position:sticky;top:0;background:var(--back);padding:.5rem 0;margin:0;z-index:1}
#search input{font:inherit;width:min(24rem,65vw);padding:.3rem .5rem;color:inherit;background:var(--soft);
border:1px solid var(--dim);border-radius:.3rem}
.listing{border:1px solid var(--line);border-radius:.4rem;padding:.3rem 0}
.line{display:grid;grid-template-columns:3.2rem minmax(0,1fr) auto;scroll-margin-top:4rem}
.line code{white-space:pre-wrap}.line:target{outline:2px solid var(--link)}
.number{color:var(--dim);text-align:right;padding-right:.8rem;text-decoration:none;user-select:none;font-size:.8rem;
line-height:1.65}
.marks{padding:0 .5rem;text-align:right;max-width:22rem}
.mark{font-size:.8rem;padding:0 .4rem;border-radius:.3rem;text-decoration:none;border:1px solid currentColor;
display:inline-block}
.line.copy{background:var(--copy-soft)}.line.allocation{background:var(--allocation-soft)}
.line.result{background:var(--result-soft)}
.mark.copy,.record.copy h4{color:var(--copy)}.mark.allocation,.record.allocation h4{color:var(--allocation)}
.mark.read{color:var(--dim)}.mark.result,.record.result h4{color:var(--result)}
.gap{color:var(--dim);margin:0;padding-left:1.9rem}
.record{border:1px solid var(--line);border-left:.3rem solid var(--result);border-radius:.4rem;padding:.6rem .8rem;
margin:.6rem 0;scroll-margin-top:4rem}
.record.copy{border-left-color:var(--copy)}.record.allocation{border-left-color:var(--allocation)}
.record:target{outline:2px solid var(--link)}.place{color:var(--dim)}
dl{display:grid;grid-template-columns:4.5rem minmax(0,1fr);gap:.15rem .8rem;margin:.4rem 0 0}
dt{color:var(--dim)}dd{margin:0}
.lifetime{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,3fr);gap:.8rem;padding:.1rem 0;align-items:start}
.lifetimes>.ruler{margin-left:calc(40% + .3rem)}
.ruler{display:flex;justify-content:space-between;color:var(--dim);font-size:.8rem;margin:.1rem 0}
summary{cursor:pointer}svg{display:block;margin-top:.25rem}.track{fill:var(--line)}.bar{fill:var(--allocation)}
.argument .bar{fill:var(--argument)}.constant .bar,.global .bar{fill:var(--result)}
.arena{border:1px solid var(--line);background:var(--soft);margin-top:.4rem}
.arena rect{stroke:var(--back);stroke-width:1}
.arena text{font:600 .75rem system-ui,sans-serif;text-anchor:middle;fill:var(--on-hue)}
.hue0{fill:var(--hue0)}.hue1{fill:var(--hue1)}.hue2{fill:var(--hue2)}.hue3{fill:var(--hue3)}.hue4{fill:var(--hue4)}
.hue5{fill:var(--hue5)}
table{border-collapse:collapse;width:100%;margin:.3rem 0}
th,td{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0;border-bottom:1px solid var(--line)}
th[scope=row]{white-space:nowrap;font-weight:400}.wide{overflow-x:auto}
footer{color:var(--dim);margin-top:3rem}
@media (max-width:40rem){body{padding:0 .6rem 2rem}.line{grid-template-columns:2.4rem minmax(0,1fr)}
.marks{grid-column:2;text-align:left;padding:0 0 .2rem}.number{padding-right:.5rem}
.lifetime{display:block;padding:.3rem 0}.lifetimes>.ruler{margin-left:0}
dl{display:block}dt{margin-top:.3rem;font-size:.85rem}.wide td,.wide th{white-space:nowrap}}
@media print{:root{--back:#fff;--text:#000;--dim:#444;--line:#bbb;--soft:#f4f4f4;--link:#000;--copy:#a00;
--copy-soft:#fdecea;--allocation:#704800;--allocation-soft:#fff4dc;--result:#1d5a2b;--result-soft:#e7f5ea;
--argument:#3b6fb5;color-scheme:light}
body{max-width:none;font-size:10pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}
#search,nav{display:none}.record,.lifetime,tr{break-inside:avoid}h2,h3{break-after:avoid}
details::details-content{content-visibility:visible;display:block;height:auto}}
"""

SCRIPT = """
"use strict";
{
  const all = [...document.querySelectorAll("[data-find]")].map((row) => [row, row.textContent.toLowerCase()]);
  const field = document.getElementById("words");
  const search = () => {
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let count = 0;
    for (const [row, text] of all) {
      const found = words.every((word) => text.includes(word));
      row.hidden = !found;
      count += found;
      const around = row.parentElement.closest("details");
      if (found && words.length && around) around.open = true;
    }
    document.getElementById("found").textContent = words.length ? `${count} of ${all.length}` : "";
  };
  field.addEventListener("input", search);
  document.getElementById("search").hidden = false;
}
"""
