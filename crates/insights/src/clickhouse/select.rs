//! From queries to statements.

use super::expressions::{interval_key, metric_names, scalar};
use super::filter::{event_condition, group_condition};
use super::statement::{Parameters, Statement};
use super::table::TABLE;
use crate::evaluation::MAX_GROUPS;
use crate::query::{Column, Dimension, Metric, Query};

/// Up to this number, distinct visitors and sessions are counted exactly.
const MAX_EXACT: u32 = 100_000;

/// The longest time of a query, in seconds.
const MAX_SECONDS: u32 = 60;

/// A query of the events of a site. Its answer is read by [`super::read()`].
///
/// If empty intervals are to be filled, all groups are answered, and the reader filters, orders and limits them. The number of groups
/// is limited in each thread of the server.
pub fn select(query: &Query, site: &str) -> Statement {
    let mut parameters = Parameters::default();
    let groups: Vec<_> = groups(query)
        .iter()
        .enumerate()
        .map(|(at, of)| group(at, of, query, &mut parameters))
        .collect();
    let metrics = query.metrics();
    let conditions = conditions(query, site, &mut parameters);
    let mut text = "SELECT ".to_owned();
    let keys = groups.iter().flat_map(|group| {
        group
            .keys
            .iter()
            .map(|key| format!("{} AS {}", key.expression, key.name))
    });
    let values = groups.iter().filter_map(|group| group.value.clone());
    let counts = metrics.iter().flat_map(|metric| metric_expressions(*metric));
    let columns: Vec<_> = keys.chain(values).chain(counts).collect();
    text += &columns.join(", ");
    text += &format!(" FROM {TABLE} WHERE {conditions}");
    if !groups.is_empty() {
        text += &format!(" GROUP BY {}", names(&groups).join(", "));
    }
    if query.filled_interval().is_none() {
        text += &having(query, &mut parameters);
        text += &order(query, &groups);
        text += &format!(" LIMIT {}", query.limit);
    }
    text += &format!(
        " FORMAT JSONCompactEachRow SETTINGS max_rows_to_group_by = {MAX_GROUPS}, group_by_overflow_mode = 'throw', \
         max_execution_time = {MAX_SECONDS}, output_format_json_quote_64bit_integers = 0"
    );
    parameters.into_statement(text)
}

/// The groups of a query, each once.
pub(super) fn groups(query: &Query) -> Vec<Dimension> {
    let mut dimensions = Vec::new();
    for dimension in query.groups() {
        if !dimensions.contains(&dimension) {
            dimensions.push(dimension);
        }
    }
    dimensions
}

/// An expression of `GROUP BY` under a name.
struct KeyColumn {
    name: String,
    expression: String,
}

/// What a group is in the statement.
struct Group {
    dimension: Dimension,
    keys: Vec<KeyColumn>,
    /// A column that tells what the keys do not.
    value: Option<String>,
}

fn group(at: usize, dimension: &Dimension, query: &Query, parameters: &mut Parameters) -> Group {
    let mut value = None;
    let expressions = match dimension {
        Dimension::Time { interval: None } => vec!["time".to_owned()],
        Dimension::Time {
            interval: Some(interval),
        } => {
            // Any time of an interval tells which one it is.
            value = Some(format!("min(time) AS t{at}"));
            vec![interval_key(*interval, query, parameters)]
        }
        Dimension::Page => vec!["space".to_owned(), "if(isNull(space), NULL, page)".to_owned()],
        Dimension::Field(_) | Dimension::Point { .. } | Dimension::Claim(_) => vec![scalar(dimension, parameters)],
        Dimension::ClaimProperty => {
            let names = "arrayMap(name -> toNullable(name), claim_names)";
            vec![format!("arrayJoin(if(empty(claim_names), [NULL], {names}))")]
        }
    };
    let name = |part: usize| format!("k{at}_{part}");
    let keys = expressions.into_iter().enumerate().map(|(part, expression)| KeyColumn {
        name: name(part),
        expression,
    });
    Group {
        dimension: dimension.clone(),
        keys: keys.collect(),
        value,
    }
}

fn conditions(query: &Query, site: &str, parameters: &mut Parameters) -> String {
    let site = parameters.text(site);
    let (from, to) = (parameters.signed(query.from), parameters.signed(query.to));
    let mut conditions = vec![format!("site = {site} AND time >= {from} AND time < {to}")];
    for filter in &query.filters {
        if let Column::Dimension(dimension) = &filter.column {
            conditions.push(event_condition(dimension, filter, query, parameters));
        }
    }
    conditions.join(" AND ")
}

/// The expressions of a metric, with their names.
fn metric_expressions(metric: Metric) -> Vec<String> {
    let names = metric_names(metric);
    let expressions = match metric {
        Metric::Events => vec!["count()".to_owned()],
        Metric::Sessions => vec![distinct("session")],
        Metric::Visitors => vec![distinct("visitor")],
        Metric::PageFeedback => ["ok", "good", "bad"]
            .map(|rating| format!("countIf(type = 'page_post_feedback' AND page_feedback_rating = '{rating}')"))
            .into(),
        Metric::AskRatings => ["1", "-1"]
            .map(|rating| format!("countIf(ask_rating = '{rating}')"))
            .into(),
    };
    names
        .iter()
        .zip(expressions)
        .map(|(name, expression)| format!("{expression} AS {name}"))
        .collect()
}

/// Exact as long as the set is small, and then an estimate with an error of 0.3 %, in memory that does not grow with the
/// number of events.
fn distinct(column: &str) -> String {
    let set = format!("groupUniqArray({})({column})", MAX_EXACT + 1);
    format!("if(length({set}) <= {MAX_EXACT}, length({set}), uniqCombined64({column}))")
}

fn having(query: &Query, parameters: &mut Parameters) -> String {
    let filters = query.filters.iter().filter_map(|filter| match filter.column {
        Column::Metric(metric) => Some(group_condition(metric, filter, parameters)),
        Column::Dimension(_) => None,
    });
    let conditions: Vec<_> = filters.collect();
    if conditions.is_empty() {
        String::new()
    } else {
        format!(" HAVING {}", conditions.join(" AND "))
    }
}

fn order(query: &Query, groups: &[Group]) -> String {
    let mut columns = Vec::new();
    if let Some(order) = query.selection() {
        let direction = if order.is_descending {
            "DESC NULLS LAST"
        } else {
            "ASC NULLS FIRST"
        };
        let names = match &order.by {
            Column::Metric(metric) => metric_names(*metric).iter().map(|name| (*name).to_owned()).collect(),
            Column::Dimension(dimension) => {
                let group = groups.iter().filter(|group| group.dimension == *dimension);
                group
                    .flat_map(|group| group.keys.iter().map(|key| key.name.clone()))
                    .collect::<Vec<_>>()
            }
        };
        columns.extend(names.into_iter().map(|name| format!("{name} {direction}")));
    }
    columns.extend(names(groups).into_iter().map(|name| format!("{name} ASC NULLS FIRST")));
    if columns.is_empty() {
        String::new()
    } else {
        format!(" ORDER BY {}", columns.join(", "))
    }
}

fn names(groups: &[Group]) -> Vec<String> {
    groups
        .iter()
        .flat_map(|group| group.keys.iter().map(|key| key.name.clone()))
        .collect()
}
