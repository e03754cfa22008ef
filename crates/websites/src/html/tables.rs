//! Tables.

use super::Page;
use crate::writer::Writer;

/// The most rows and columns of a table.
const MAX_ROWS: usize = 5000;
const MAX_COLUMNS: usize = 50;

#[derive(Default)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
    /// What is written outside of the cell that is open.
    outside: Option<Writer>,
    /// Tables in cells.
    inner: usize,
}

impl Page<'_> {
    pub(super) fn start_table(&mut self) {
        match &mut self.table {
            Some(table) => table.inner += 1,
            None => {
                self.writer.block();
                self.table = Some(Table::default());
            }
        }
    }

    pub(super) fn start_part_of_table(&mut self, name: &str) {
        match &self.table {
            Some(table) if table.inner == 0 => {}
            _ => return self.writer.block(),
        }
        self.end_cell();
        let Some(table) = &mut self.table else { return };
        if name == "tr" {
            table.rows.truncate(MAX_ROWS);
            table.rows.push(Vec::new());
            return;
        }
        if table.rows.is_empty() {
            table.rows.push(Vec::new());
        }
        table.outside = Some(std::mem::replace(&mut self.writer, Writer::flat()));
    }

    pub(super) fn end_cell(&mut self) {
        let Some(table) = self.table.as_mut().filter(|table| table.inner == 0) else {
            return;
        };
        if let Some(outside) = table.outside.take() {
            let cell = std::mem::replace(&mut self.writer, outside).finish();
            if let Some(row) = table.rows.last_mut().filter(|row| row.len() < MAX_COLUMNS) {
                row.push(cell);
            }
        }
    }

    pub(super) fn end_table(&mut self) {
        if let Some(table) = self.table.as_mut().filter(|table| table.inner > 0) {
            table.inner -= 1;
            return;
        }
        self.end_cell();
        let Some(table) = self.table.take() else { return };
        let mut rows = table.rows.iter().filter(|row| !row.is_empty());
        let columns = table.rows.iter().map(Vec::len).max().unwrap_or_default();
        let line = |cells: &[String]| {
            let empty = std::iter::repeat_n("", columns.saturating_sub(cells.len()));
            let cells = cells.iter().map(String::as_str).chain(empty);
            cells.fold(String::from("|"), |line, cell| format!("{line} {cell} |"))
        };
        if let Some(head) = rows.next() {
            let mut lines = vec![line(head), format!("|{}", " --- |".repeat(columns))];
            lines.extend(rows.map(|row| line(row)));
            self.writer.lines(&lines.join("\n"));
        }
    }

    pub(super) fn end_all_tables(&mut self) {
        if let Some(table) = &mut self.table {
            table.inner = 0;
        }
        self.end_table();
    }
}
