#include "report/style.hpp"

namespace cone::report {

// Colours of Okabe and Ito, which most colour-blind readers can tell apart; every use of one has a
// shape, a line style or a word beside it.
const char* const kLightColours = R"css(
:root{color-scheme:light dark;--paper:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--faint:#eaeef2;
--one:#0072b2;--two:#b34700;--three:#007a5a;--bad:#a40e26;--badpaper:#fff1f0;--okpaper:#eef8f1}
)css";

const char* const kChartStyle = R"css(
svg text{font-size:12px;fill:var(--ink);paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}
svg .middle{text-anchor:middle}svg .end{text-anchor:end}
svg .tick,svg .tick text{fill:var(--soft);font-size:11px}
svg .soft{fill:var(--soft)}svg .fail,svg .fail text{fill:var(--bad);font-weight:700}
svg path,svg line,svg rect{vector-effect:non-scaling-stroke}
.grid{stroke:var(--faint)}.axis,.cap{stroke:var(--soft)}
.reference{stroke:var(--ink);stroke-dasharray:2 3}
.inner{stroke:var(--one);stroke-width:4}.weak{opacity:.4}
.outer{stroke:var(--two);stroke-width:1.6;stroke-dasharray:5 3}
.dot{fill:var(--one);stroke:var(--paper)}
.point{fill:none;stroke:var(--one);stroke-width:9;stroke-linecap:round}
.folds{fill:none;stroke:var(--one);stroke-width:7;stroke-linecap:round;opacity:.7}
.truth{fill:none;stroke:var(--three);stroke-width:2}
svg .small{r:3px}
.ring{fill:var(--paper);stroke:var(--two);stroke-width:2}
.one{fill:var(--one)}.two{fill:var(--two)}.three{fill:var(--three)}
.curve{fill:none;stroke:var(--one);stroke-width:2}
.curve2{fill:none;stroke:var(--two);stroke-width:2;stroke-dasharray:6 3}
.curve3{fill:none;stroke:var(--three);stroke-width:2;stroke-dasharray:2 3}
.curve4{fill:none;stroke:var(--soft);stroke-width:1.6;stroke-dasharray:8 3 2 3}
.curve5{fill:none;stroke:var(--ink);stroke-width:1.2;stroke-dasharray:1 2}
.area{fill:var(--one);opacity:.16}.area2{fill:var(--two);opacity:.12}
.hollow{fill:none;stroke:var(--two);stroke-width:1.6}
.hatch{fill:var(--soft);opacity:.45}
.box{fill:var(--faint);stroke:var(--soft)}.leaf{fill:var(--okpaper);stroke:var(--three)}
.thin{stroke-width:1}
.h0,.h1,.h2,.h3,.h4,.h5,.h6,.h7,.h8{fill:var(--one);stroke:var(--paper)}.h0{fill-opacity:.04}.h1{fill-opacity:.10}.h2{fill-opacity:.16}.h3{fill-opacity:.22}.h4{fill-opacity:.28}.h5{fill-opacity:.34}.h6{fill-opacity:.40}.h7{fill-opacity:.46}.h8{fill-opacity:.52}
.edge{fill:none;stroke:var(--line)}
.n0,.n1,.n2,.n3,.n4,.n5{fill:none;stroke:var(--one);stroke-linecap:round}.n0{stroke-width:6;stroke-opacity:.3}.n1{stroke-width:8;stroke-opacity:.45}.n2{stroke-width:9;stroke-opacity:.6}.n3{stroke-width:10;stroke-opacity:.8}.n4{stroke-width:12;stroke-opacity:1}.n5{stroke:var(--soft);stroke-width:5;stroke-opacity:.6}
.limit{stroke:var(--bad);stroke-dasharray:4 3}
)css";

const char* const kPageStyle = R"css(
@media (prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e6e9ed;--soft:#a7b0ba;--line:#3d444d;
--faint:#262c33;--one:#56b4e9;--two:#e69f00;--three:#2fc49b;--bad:#ff8a80;--badpaper:#331c1e;--okpaper:#16291f}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;padding:1.2rem 1rem 3rem;max-width:54rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.7rem;line-height:1.2;margin:.2rem 0 .6rem}
h2{font-size:1.3rem;margin:2.4rem 0 .6rem;border-bottom:1px solid var(--line);padding-bottom:.2rem}
h3{font-size:1.05rem;margin:1.5rem 0 .4rem}
p,ul{margin:.5rem 0}ul{padding-left:1.2rem}
.lead{font-size:1.2rem;font-weight:600}
.answer{border:1px solid var(--line);border-radius:.5rem;padding:.3rem 1rem .5rem;margin:.8rem 0 1.2rem}
.answer ul{list-style:none;padding:0}.answer li{margin:.35rem 0}
.badge{border:1px solid currentColor;border-radius:.3rem;padding:0 .35rem;font-size:.8rem;white-space:nowrap}
.supported{color:var(--three)}.conditional{color:var(--two)}.not-shown{color:var(--soft)}
.fold>summary{font-size:1.05rem;margin:.5rem 0}.fold>summary small{color:var(--soft)}
.soft,.legend,figcaption+p{color:var(--soft)}
.legend,small{font-size:.85rem}
.legend span{white-space:nowrap;margin-right:.9rem;display:inline-block}
.legend .name{white-space:normal}
.legend svg{vertical-align:-1px;overflow:visible}
figure{margin:1rem 0 1.6rem}
figcaption{font-weight:600;margin-bottom:.3rem}
.plot{padding:0 10px}.wide-left{padding-left:52px}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(17rem,100%),1fr));gap:0 1.5rem}
svg.chart{width:100%}svg.chart,svg.chart svg{overflow:visible;display:block}
details{margin:.4rem 0}summary{cursor:pointer;color:var(--one)}
.scroll{overflow-x:auto;max-width:100%}
.scroll:focus-visible,summary:focus-visible{outline:2px solid var(--one);outline-offset:2px}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums;margin:.4rem 0}
th,td{padding:.2rem .7rem .2rem 0;border-bottom:1px solid var(--faint);text-align:right;vertical-align:top;
white-space:nowrap}
th:first-child{text-align:left;white-space:normal;min-width:7rem;font-weight:500}
thead th{color:var(--soft);font-weight:600;white-space:normal;overflow-wrap:normal;vertical-align:bottom}
.words td,.words th{text-align:left;white-space:normal}
.verdicts{list-style:none;padding:0}
.verdicts li{padding:.35rem .6rem;margin:.25rem 0;border-left:4px solid var(--three);background:var(--okpaper)}
.verdicts li.note{border-color:var(--line);background:none}
.verdicts li.caution{border-color:var(--bad);background:var(--badpaper)}
.tree ul{list-style:none;border-left:2px solid var(--line);margin:.3rem 0 .3rem .6rem;padding-left:.8rem}
.tree li{margin:.35rem 0}
.split-box,.leaf-box{display:inline-block;border:1px solid var(--soft);border-radius:.4rem;padding:.1rem .5rem;background:var(--faint)}
.leaf-box{border-color:var(--three);background:var(--okpaper)}
code,pre{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:.85rem}
pre{white-space:pre-wrap;background:var(--faint);padding:.7rem;margin:.5rem 0}
footer{margin-top:3rem;color:var(--soft);font-size:.85rem}
@media print{:root{color-scheme:light;--paper:#fff;--ink:#000;--soft:#444;--line:#999;--faint:#e4e4e4;--one:#0072b2;
--two:#b34700;--three:#007a5a;--bad:#a40e26;--badpaper:#fff;--okpaper:#fff}
body{max-width:none;padding:0;font-size:11pt}figure,tr,li{break-inside:avoid}h2,h3,figcaption{break-after:avoid}
.scroll{overflow:visible}th,td{white-space:normal}}
)css";

}  // namespace cone::report
