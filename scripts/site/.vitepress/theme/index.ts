/** The usual look, with the fonts of the reader's machine, and the colours of the studio. */
import theme from "vitepress/theme-without-fonts";
import "./style.css";

export default theme;
