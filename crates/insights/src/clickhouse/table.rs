//! The table of events: its columns, and the statements that write and delete.

use std::collections::BTreeMap;

use h3o::Resolution;
use serde::Serialize;
use serde_json::Value;

use super::statement::{Parameters, Statement};
use crate::evaluation::{claims, parse_point};
use crate::event::{Event, Field};

pub(super) const TABLE: &str = "insight_events";

/// Attempts to insert the same rows are recognized as long as no more than this many other inserts came between them.
const INSERTS_REMEMBERED: u32 = 10_000;

/// An event with the site that it happened on.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    pub site: &'a str,
    pub event: &'a Event,
}

/// The column of a field.
pub(super) const fn column(field: Field) -> &'static str {
    match field {
        Field::Type => "type",
        Field::Url => "url",
        Field::DisplayContext => "display_context",
        Field::SiteSection => "site_section",
        Field::SiteSpace => "site_space",
        Field::SiteShareKey => "site_share_key",
        Field::Space => "space",
        Field::Revision => "revision",
        Field::Page => "page",
        Field::Country => "country",
        Field::Point => "point",
        Field::Device => "device",
        Field::Browser => "browser",
        Field::Os => "os",
        Field::Bot => "bot",
        Field::Language => "language",
        Field::LinkTarget => "link_target",
        Field::LinkKind => "link_kind",
        Field::LinkDomain => "link_domain",
        Field::LinkPosition => "link_position",
        Field::OperationPath => "operation_path",
        Field::OperationMethod => "operation_method",
        Field::SearchQuery => "search_query",
        Field::PageFeedbackRating => "page_feedback_rating",
        Field::PageFeedbackComment => "page_feedback_comment",
        Field::AskRating => "ask_rating",
        Field::Referrer => "referrer",
        Field::ReferrerDomain => "referrer_domain",
        Field::UtmSource => "utm_source",
        Field::UtmMedium => "utm_medium",
        Field::UtmCampaign => "utm_campaign",
        Field::UtmTerm => "utm_term",
        Field::UtmContent => "utm_content",
        Field::Claims => "claims",
        Field::AdDomain => "ad_domain",
        Field::AdPlacement => "ad_placement",
        Field::TrademarkPlacement => "trademark_placement",
        Field::Rest => "rest",
        Field::LlmsVariant => "llms_variant",
        Field::MarkdownSource => "markdown_source",
        Field::SearchRecord => "search_record",
    }
}

/// Returns whether the values of a field are so many that a dictionary of them takes more than it saves.
const fn is_wide(field: Field) -> bool {
    matches!(
        field,
        Field::Url
            | Field::LinkTarget
            | Field::SearchQuery
            | Field::PageFeedbackComment
            | Field::Referrer
            | Field::Claims
            | Field::Rest
    )
}

/// Names of the columns that hold an event, in the order of [`values`].
fn event_columns() -> Vec<&'static str> {
    let fields = Field::ALL.into_iter().map(column);
    ["time", "visitor", "session"].into_iter().chain(fields).collect()
}

/// Creates the table, unless it exists: an operator may have created it with another table engine.
pub fn create() -> Statement {
    let fields: String = Field::ALL
        .into_iter()
        .map(|field| {
            let kind = if is_wide(field) {
                "Nullable(String)"
            } else {
                "LowCardinality(Nullable(String))"
            };
            format!("    {} {kind},\n", column(field))
        })
        .collect();
    let text = format!(
        "CREATE TABLE IF NOT EXISTS {TABLE} (\n    site LowCardinality(String),\n    time Int64 CODEC(Delta, ZSTD),\n    \
         visitor UInt64,\n    session UInt64,\n{fields}    cells Array(UInt64),\n    claim_names Array(String),\n    \
         claims_by_path Map(String, String),\n    at DateTime64(3, 'UTC') ALIAS fromUnixTimestamp64Milli(time, 'UTC')\n)\n\
         ENGINE = MergeTree\nPARTITION BY intDiv(time, {WEEK})\nORDER BY (site, time)\nSETTINGS \
         non_replicated_deduplication_window = {INSERTS_REMEMBERED}"
    );
    Parameters::default().into_statement(text)
}

/// Milliseconds of a partition.
const WEEK: i64 = 7 * 24 * 3_600_000;

/// The statement that inserts the rows once, however often it is sent with this token, and the body that follows it.
pub fn insert<'a>(token: u128, rows: impl Iterator<Item = Row<'a>>) -> (Statement, Vec<u8>) {
    let columns = event_columns().join(", ");
    // Nothing but one block of the whole body is recognized when it is sent again: the blocks of several threads differ.
    let text = format!(
        "INSERT INTO {TABLE} (site, {columns}, cells, claim_names, claims_by_path) SETTINGS async_insert = 0, \
         insert_deduplicate = 1, insert_deduplication_token = '{token:032x}', max_insert_threads = 1, \
         input_format_parallel_parsing = 0, max_insert_block_size = {MAX_ROWS}, min_insert_block_size_rows = {MAX_ROWS}, \
         min_insert_block_size_bytes = {MAX_BYTES} FORMAT JSONCompactEachRow"
    );
    let mut body = Vec::new();
    for row in rows {
        // Writing texts, numbers, lists and maps with text keys to memory does not fail.
        let _ = serde_json::to_writer(&mut body, &values(row));
        body.push(b'\n');
    }
    (Parameters::default().into_statement(text), body)
}

/// Rows and bytes in memory that a block may have: more than any insert has.
const MAX_ROWS: u32 = 10_000_000;
const MAX_BYTES: u64 = 4 << 30;

/// A value of the body of an insert.
#[derive(Serialize)]
#[serde(untagged)]
enum Cell<'a> {
    Text(Option<&'a str>),
    Time(i64),
    Hash(u64),
    Cells(Vec<u64>),
    Names(Vec<String>),
    Claims(BTreeMap<String, String>),
}

fn values(row: Row<'_>) -> Vec<Cell<'_>> {
    let Row { site, event } = row;
    let fields = Field::ALL.into_iter().map(|field| Cell::Text(event.get(field)));
    let claims = event.get(Field::Claims).and_then(claims::parse);
    let names = claims.iter().flat_map(|claims| claims.keys().cloned()).collect();
    let start = [
        Cell::Text(Some(site)),
        Cell::Time(event.time),
        Cell::Hash(event.visitor),
        Cell::Hash(event.session),
    ];
    start
        .into_iter()
        .chain(fields)
        .chain([
            Cell::Cells(cells(event)),
            Cell::Names(names),
            Cell::Claims(claims.as_ref().map(by_path).unwrap_or_default()),
        ])
        .collect()
}

/// The H3 cells that contain the point of the event, from the coarsest to the finest; none without a point.
fn cells(event: &Event) -> Vec<u64> {
    let Some(point) = event.get(Field::Point).and_then(parse_point) else {
        return Vec::new();
    };
    Resolution::range(Resolution::Zero, Resolution::Fifteen)
        .map(|resolution| point.to_cell(resolution).into())
        .collect()
}

/// What [`claims::at_path`] finds, by path.
fn by_path(claims: &serde_json::Map<String, Value>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (name, value) in claims {
        if let Some(text) = claims::to_text(value) {
            found.insert(name.clone(), text);
        }
        // A path goes through a name up to its first dot.
        let Some(below) = value.as_object().filter(|_| !name.contains('.')) else {
            continue;
        };
        for (path, text) in by_path(below) {
            let path = format!("{name}.{path}");
            // A name wins over a path.
            if !claims.contains_key(&path) {
                found.insert(path, text);
            }
        }
    }
    found
}

pub fn delete_visitors<'a>(site: &str, visitors: impl IntoIterator<Item = &'a u64>) -> Statement {
    let mut parameters = Parameters::default();
    let site = parameters.text(site);
    let visitors: Vec<String> = visitors.into_iter().map(u64::to_string).collect();
    parameters.into_statement(delete(&format!(
        "site = {site} AND visitor IN ({})",
        visitors.join(", ")
    )))
}

pub fn delete_site(site: &str) -> Statement {
    let mut parameters = Parameters::default();
    let site = parameters.text(site);
    parameters.into_statement(delete(&format!("site = {site}")))
}

/// Deletes the events of all sites before a time.
pub fn delete_before(time: i64) -> Statement {
    let mut parameters = Parameters::default();
    let time = parameters.signed(time);
    parameters.into_statement(delete(&format!("time < {time}")))
}

/// Answers with a row if there is an event from `from` on and before `to`.
pub fn any_between(from: i64, to: i64) -> Statement {
    let mut parameters = Parameters::default();
    let (from, to) = (parameters.signed(from), parameters.signed(to));
    parameters.into_statement(format!(
        "SELECT 1 FROM {TABLE} WHERE time >= {from} AND time < {to} LIMIT 1 FORMAT JSONCompactEachRow"
    ))
}

/// Deletes rows of all replicas, and is answered when they are gone.
fn delete(condition: &str) -> String {
    format!("ALTER TABLE {TABLE} DELETE WHERE {condition} SETTINGS mutations_sync = 2")
}

/// Events of a site from `from` on and before `to`, in the order of their times, and among equal times of all that they hold.
/// The first `skip` of them are left out.
pub fn select_events(site: &str, from: i64, to: i64, skip: usize, limit: usize) -> Statement {
    let mut parameters = Parameters::default();
    let (site, from, to) = (parameters.text(site), parameters.signed(from), parameters.signed(to));
    let columns = event_columns().join(", ");
    parameters.into_statement(format!(
        "SELECT {columns} FROM {TABLE} WHERE site = {site} AND time >= {from} AND time < {to} ORDER BY {columns} LIMIT {limit} \
         OFFSET {skip} FORMAT JSONCompactEachRow SETTINGS output_format_json_quote_64bit_integers = 0"
    ))
}
