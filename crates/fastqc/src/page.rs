//! The report for people: one page that needs nothing else.

use std::borrow::Cow;
use std::fmt::Write;

use thalweg_charts::escape;

use crate::{Module, Report, Verdict};

/// A line of a colour on a round ground.
macro_rules! icon {
    ($colour:literal, $line:literal) => {
        concat!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><circle cx=\"8\" cy=\"8\" r=\"8\" fill=\"",
            $colour,
            "\"/><path fill=\"none\" stroke=\"#fff\" stroke-width=\"2\" d=\"",
            $line,
            "\"/></svg>\n"
        )
    };
}

/// Rows of a table that is shown whole; of a longer one there are as many, and the rest is in `fastqc_data.txt`.
const ROWS: usize = 40;

/// The style sheet, of the page and of pictures alone.
const STYLE: &str = include_str!("page/style.css");

/// Signs for verdicts as pictures of their own, by name.
pub(crate) const ICONS: [(&str, &str); 3] = [
    ("tick", icon!("#2c7a4b", "M4 8.5l3 3 5-7")),
    ("warning", icon!("#a86a00", "M8 3v6M8 12v1")),
    ("error", icon!("#b3312c", "M4 4l8 8M12 4l-8 8")),
];

/// A picture that needs no page: with a style sheet of its own.
pub(crate) fn alone(svg: &str) -> String {
    let tag = "<svg ";
    let rest = svg.strip_prefix(tag).unwrap_or(svg);
    let (attributes, content) = rest.split_once('>').unwrap_or((rest, ""));
    format!(
        "{tag}xmlns=\"http://www.w3.org/2000/svg\" {attributes}><style>{STYLE}</style>{content}\n"
    )
}

/// A page of HTML, with pictures and without a script: light or dark as the reader's system is.
pub fn page(report: &Report) -> String {
    let name = escape(report.name());
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name}: quality of reads</title>\n<style>\n{}</style>\n</head>\n<body>\n\
         <header><h1>{name}</h1><p>Quality of reads, judged by the rules of FastQC {}</p></header>\n",
        STYLE,
        crate::VERSION,
    );
    // Writing to a string does not fail.
    page.push_str("<nav><ul>\n");
    for (number, module) in report.modules().iter().enumerate() {
        let _ = writeln!(
            page,
            "<li>{} <a href=\"#m{number}\">{}</a></li>",
            mark(module.verdict()),
            escape(module.title()),
        );
    }
    page.push_str("</ul></nav>\n<main>\n");
    for (number, module) in report.modules().iter().enumerate() {
        section(&mut page, number, module);
    }
    page.push_str("</main>\n<footer>Made by thalweg. All numbers are in fastqc_data.txt.</footer>\n</body>\n</html>\n");
    page
}

fn section(page: &mut String, number: usize, module: &Module) {
    let _ = writeln!(
        page,
        "<section id=\"m{number}\"><h2>{} {}</h2>",
        mark(module.verdict()),
        escape(module.title()),
    );
    for figure in module.figures() {
        let _ = write!(
            page,
            "<figure><figcaption>{}</figcaption>{}<p class=\"legend\">",
            escape(&figure.caption),
            figure.svg
        );
        for (class, name) in &figure.legend {
            let _ = write!(
                page,
                "<span><i class=\"{class}\"></i>{}</span>",
                escape(name)
            );
        }
        page.push_str("</p></figure>\n");
    }
    // What a picture shows, nobody reads in a table.
    if module.figures().is_empty() {
        table(page, module);
    }
    page.push_str("</section>\n");
}

fn table(page: &mut String, module: &Module) {
    if module.rows.is_empty() {
        page.push_str("<p>Nothing to report.</p>\n");
        return;
    }
    page.push_str("<div class=\"wide\"><table><thead><tr>");
    for name in &module.head {
        let _ = write!(page, "<th>{}</th>", escape(name));
    }
    page.push_str("</tr></thead><tbody>\n");
    for row in module.rows.iter().take(ROWS) {
        page.push_str("<tr>");
        for cell in row {
            let _ = write!(page, "<td>{}</td>", escape(&shown(cell)));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
    if let Some(more) = module.rows.len().checked_sub(ROWS + 1) {
        let _ = writeln!(page, "<p>and {} more</p>", more + 1);
    }
}

/// A number without most of its decimals: all are in `fastqc_data.txt`.
fn shown(cell: &str) -> Cow<'_, str> {
    let decimals = cell
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    match cell.parse::<f64>() {
        Ok(number) if decimals > 3 && number.abs() >= 0.01 => Cow::Owned(format!("{number:.2}")),
        Ok(number) if decimals > 3 => Cow::Owned(format!("{number:.1e}")),
        _ => Cow::Borrowed(cell),
    }
}

/// A sign that can be told without its colour, too.
fn mark(verdict: Verdict) -> String {
    let (sign, word) = match verdict {
        Verdict::Pass => ("\u{2713}", "passed"),
        Verdict::Warn => ("!", "slightly unusual"),
        Verdict::Fail => ("\u{2717}", "very unusual"),
    };
    let class = verdict.word();
    format!("<b class=\"mark {class}\" title=\"{word}\" aria-label=\"{word}\">{sign}</b>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (cell, short) in [
            ("0.44999999999999996", "0.45"),
            ("12.345678", "12.35"),
            ("3.4567890123E-5", "3.5e-5"),
            ("0.25", "0.25"),
            ("1.7 Mbp", "1.7 Mbp"),
            ("ACGT", "ACGT"),
            ("45", "45"),
        ] {
            assert_eq!(shown(cell), short);
        }
    }
}
