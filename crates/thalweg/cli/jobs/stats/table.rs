//! Text in columns.

/// A table for people: the first two columns to the left, numbers to the right.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

/// Columns of words.
const LEFT: usize = 2;

impl Table {
    /// A table with these column names.
    pub(crate) fn new(names: Vec<&str>) -> Self {
        Self {
            rows: vec![names.into_iter().map(str::to_owned).collect()],
        }
    }

    /// Add a row of as many cells.
    pub(crate) fn push(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// All rows, as wide as needed.
    pub(crate) fn to_text(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.rows[0].len()).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).enumerate();
            let cells: Vec<String> = cells
                .map(|(column, (cell, &width))| match column < LEFT {
                    true => format!("{cell:<width$}"),
                    false => format!("{cell:>width$}"),
                })
                .collect();
            text.push_str(cells.join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}
