//! Tables, and records shown as cards.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::{Converter, Resolver, TooLarge, list, member, nodes, string, text, with};

/// Columns that fit on a page; further ones follow in further tables.
const MAX_COLUMNS: usize = 12;

/// Characters of a line, by which words in cells are broken.
const LINE_CHARACTERS: usize = 56;

struct Table<'v> {
    columns: Vec<&'v str>,
    /// The ids of the records with the records, in order.
    records: Vec<(&'v str, &'v Value)>,
    definitions: &'v Value,
    fragments: HashMap<&'v str, &'v Value>,
}

/// The cells that one cell covers, by rows and columns.
#[derive(Clone, Copy)]
struct Span {
    rows: usize,
    columns: usize,
}

impl<R: Resolver> Converter<'_, R> {
    pub(super) fn table(&mut self, block: &Value, out: &mut Vec<Value>) -> Result<(), TooLarge> {
        let table = Table::of(block);
        let word = self.word;
        let is_cards = string(block, "/data/view/type") == "cards";
        if is_cards {
            self.records(&table, out)?;
        } else {
            let merges = list(block, "/data/cellMerges");
            let head = member(block, "/data/view/hideHeader") != &json!(true);
            for columns in table.columns.chunks(MAX_COLUMNS) {
                self.word = (LINE_CHARACTERS / columns.len().max(1)).max(6);
                let grid = self.grid(&table, columns, merges, head);
                self.word = word;
                out.push(grid?);
            }
        }
        Ok(())
    }

    fn grid(&mut self, table: &Table<'_>, columns: &[&str], merges: &[Value], head: bool) -> Result<Value, TooLarge> {
        let titles = columns.iter().map(|column| text::clean(table.title(column), self.word));
        let titles: Vec<String> = titles.collect();
        let head = head && titles.iter().any(|title| !title.trim().is_empty());
        let (spans, covered) = spans(table, columns, merges);
        let mut widths = vec![4_usize; columns.len()];
        let mut cells = Vec::new();
        for (row, (_, record)) in table.records.iter().enumerate() {
            for (column, id) in columns.iter().enumerate() {
                if covered.contains(&(row, column)) {
                    continue;
                }
                let span = spans
                    .get(&(row, column))
                    .copied()
                    .unwrap_or(Span { rows: 1, columns: 1 });
                let body = self.cell(table, record, id)?;
                if let Some(width) = widths.get_mut(column).filter(|_| span.columns == 1) {
                    *width = (*width).max(length(&body));
                }
                let align = table.align(record, id);
                cells.push(json!({ "rows": span.rows, "columns": span.columns, "align": align, "body": body }));
            }
        }
        let titled = titles.iter().map(|title| title.chars().count());
        let widths = widths.into_iter().zip(titled);
        let widths: Vec<f64> = widths.map(|(cells, title)| weight(cells.max(title))).collect();
        let head = if head { titles } else { Vec::new() };
        Ok(json!({ "k": "table", "widths": widths, "head": head, "cells": cells }))
    }

    /// Records as panels with a line for each column.
    fn records(&mut self, table: &Table<'_>, out: &mut Vec<Value>) -> Result<(), TooLarge> {
        for (_, record) in &table.records {
            let mut body = Vec::new();
            for column in &table.columns {
                body.extend(self.cell(table, record, column)?);
            }
            if !body.is_empty() {
                out.push(json!({ "k": "panel", "style": "plain", "title": [], "label": null, "body": body }));
            }
        }
        Ok(())
    }

    fn cell(&mut self, table: &Table<'_>, record: &Value, column: &str) -> Result<Vec<Value>, TooLarge> {
        self.count()?;
        let Some(value) = record.get("values").and_then(|values| values.get(column)) else {
            return Ok(Vec::new());
        };
        let definition = table.definitions.get(column).unwrap_or(&Value::Null);
        let kind = string(definition, "/type");
        if let (Some(fragment), "text") = (value.as_str().and_then(|name| table.fragments.get(name)), kind) {
            return self.nested(nodes(fragment));
        }
        let labels = record.get("cells").and_then(|cells| cells.get(column)?.get("labels"));
        let labels: Vec<&str> = values(labels.unwrap_or(&Value::Null))
            .filter_map(Value::as_str)
            .collect();
        Ok(match (kind, value) {
            (_, Value::Null) => Vec::new(),
            ("files" | "users" | "content-ref" | "image", _) => self.referred(kind, value, &labels),
            _ if !labels.is_empty() => self.line(&labels.join(", ")),
            ("checkbox", _) => {
                vec![json!({ "k": "tasks", "items": [{ "checked": value == &json!(true), "body": [] }] })]
            }
            ("rating", Value::Number(number)) => {
                let stars = number.as_u64().unwrap_or_default().min(20);
                self.line(&"★".repeat(usize::try_from(stars).unwrap_or_default()))
            }
            ("select", _) => {
                let labels: Vec<&str> = values(value)
                    .filter_map(|it| it.as_str().map(|it| option(definition, it)))
                    .collect();
                self.line(&labels.join(", "))
            }
            (_, Value::String(words)) => self.line(words),
            (_, value) => self.line(&value.to_string()),
        })
    }

    /// References of a cell, each on its line, with the words that are written for them.
    fn referred(&mut self, kind: &str, value: &Value, labels: &[&str]) -> Vec<Value> {
        let mut body = Vec::new();
        for (number, item) in values(value).enumerate() {
            let label = labels.get(number).copied().unwrap_or_default();
            if kind == "image" {
                let reference = if item.get("ref").is_some() {
                    member(item, "/ref")
                } else {
                    item
                };
                self.image(
                    reference,
                    (string(item, "/alt"), None),
                    ("start", Vec::new()),
                    &mut body,
                );
                continue;
            }
            let reference = match (kind, item.as_str()) {
                ("files", Some(file)) => json!({ "kind": "file", "file": file }),
                ("users", Some(user)) => json!({ "kind": "user", "user": user }),
                _ => item.clone(),
            };
            let (link, target) = self.link(&reference);
            let words = self.plain(&target.words(label));
            let link = with(json!({ "k": "link", "body": [words] }), link);
            body.push(json!({ "k": "p", "align": null, "body": [link] }));
        }
        body
    }

    fn line(&self, words: &str) -> Vec<Value> {
        match words.is_empty() {
            true => Vec::new(),
            false => vec![json!({ "k": "p", "align": null, "body": [self.plain(words)] })],
        }
    }
}

impl<'v> Table<'v> {
    fn of(block: &'v Value) -> Self {
        let empty = || None::<&Map<String, Value>>;
        let records = member(block, "/data/records").as_object().or_else(empty);
        let mut records: Vec<(&str, &Value)> = records
            .into_iter()
            .flatten()
            .map(|(id, record)| (id.as_str(), record))
            .collect();
        records.sort_by_key(|(id, record)| (string(record, "/orderIndex"), *id));
        let named = list(block, "/fragments").iter();
        let named = named.filter_map(|fragment| Some((fragment.get("fragment")?.as_str()?, fragment)));
        Self {
            columns: list(block, "/data/view/columns")
                .iter()
                .filter_map(Value::as_str)
                .collect(),
            records,
            definitions: member(block, "/data/definition"),
            fragments: named.collect(),
        }
    }

    fn title(&self, column: &str) -> &'v str {
        let definition = self.definitions.get(column);
        definition
            .map(|definition| string(definition, "/title"))
            .unwrap_or_default()
    }

    fn align(&self, record: &Value, column: &str) -> &'static str {
        let of_cell = record
            .get("cells")
            .and_then(|cells| cells.get(column)?.get("textAlignment")?.as_str());
        let of_column = self
            .definitions
            .get(column)
            .and_then(|definition| definition.get("textAlignment")?.as_str());
        match of_cell.or(of_column) {
            Some("center") => "center",
            Some("right") => "right",
            // To the left by default: where lines begin, in the language of the book.
            _ => "start",
        }
    }
}

type Place = (usize, usize);

/// The spans of merged cells, and the places that they cover. What lies outside of the table or overlaps is not merged.
fn spans(table: &Table<'_>, columns: &[&str], merges: &[Value]) -> (HashMap<Place, Span>, HashSet<Place>) {
    let rows: HashMap<&str, usize> = table
        .records
        .iter()
        .enumerate()
        .map(|(row, (id, _))| (*id, row))
        .collect();
    let (mut spans, mut covered, mut used) = (HashMap::new(), HashSet::new(), HashSet::new());
    for merge in merges {
        let row = rows.get(string(merge, "/anchor/record")).copied();
        let column = columns
            .iter()
            .position(|column| *column == string(merge, "/anchor/column"));
        let (Some(row), Some(column)) = (row, column) else {
            continue;
        };
        let size = |pointer| {
            usize::try_from(member(merge, pointer).as_u64().unwrap_or(1))
                .unwrap_or(1)
                .max(1)
        };
        let span = Span {
            rows: size("/rowSpan").min(table.records.len() - row),
            columns: size("/colSpan").min(columns.len() - column),
        };
        let places = (row..row + span.rows).flat_map(|row| (column..column + span.columns).map(move |it| (row, it)));
        let places: Vec<Place> = places.collect();
        if places.iter().any(|place| used.contains(place)) {
            continue;
        }
        used.extend(places.iter().copied());
        covered.extend(places.into_iter().filter(|place| *place != (row, column)));
        spans.insert((row, column), span);
    }
    (spans, covered)
}

fn values(value: &Value) -> impl Iterator<Item = &Value> {
    match value {
        Value::Array(items) => items.iter(),
        value => std::slice::from_ref(value).iter(),
    }
}

fn option<'v>(definition: &'v Value, value: &'v str) -> &'v str {
    let found = list(definition, "/options")
        .iter()
        .find(|option| string(option, "/value") == value);
    found.map_or(value, |option| string(option, "/label"))
}

/// About the characters of nodes.
fn length(nodes: &[Value]) -> usize {
    let of = |node: &Value| match node {
        Value::Object(members) => {
            let own = members
                .get("v")
                .and_then(Value::as_str)
                .map_or(0, |text| text.chars().count());
            let inner = ["body", "title"]
                .into_iter()
                .filter_map(|name| members.get(name)?.as_array());
            own + inner.map(|nodes| length(nodes)).sum::<usize>()
        }
        _ => 0,
    };
    nodes.iter().map(of).sum()
}

/// The share of a column whose longest cell has so many characters: long ones have several lines.
fn weight(characters: usize) -> f64 {
    let characters = u32::try_from(characters.clamp(4, 400)).unwrap_or(400);
    f64::from(characters).powf(0.6)
}
