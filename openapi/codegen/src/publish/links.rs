//! Links from the answers that create or list something to the operations that take its id. Path parameters say whose id they
//! take, in `x-id-of`.

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::{Source, operations};

pub const KEYWORD: &str = "x-id-of";

/// The objects within an answer that are looked at: its own members, the items of its lists, and their members.
const DEPTH: usize = 3;

/// An operation that takes ids.
struct Target<'a> {
    id: &'a str,
    path: &'a str,
    parameters: Vec<&'a str>,
}

/// Where an answer has the values of parameters, as runtime expressions.
type Expressions<'a> = IndexMap<&'a str, String>;

pub fn complete(bundle: &mut Value, source: Source<'_>) {
    let targets = targets(source);
    let takers = takers(source);
    for (path, method, operation) in operations(bundle) {
        let given = in_path(path)
            .map(|name| (name, format!("$request.path.{name}")))
            .collect();
        let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
        let success = responses
            .into_iter()
            .flatten()
            .find(|(status, _)| status.starts_with('2'));
        let Some((status, response)) = success else { continue };
        let answer = response.pointer("/content/application~1json/schema").cloned();
        let Some(answer) = answer else { continue };
        let objects = objects(source, &answer);
        let found = takers
            .iter()
            .filter_map(|(name, owners)| Some((*name, place(&objects, owners)?)));
        let is_new = status == "201" || method == "put";
        let lists = |at: &String| at.contains("/0/") || method != "get";
        let found: Expressions<'_> = found
            .filter(|(_, at)| lists(at))
            .map(|(name, at)| (name, format!("$response.body#{at}")))
            .collect();
        let links = links(&targets, path, &given, &found, is_new);
        if let Some(response) = response.as_object_mut().filter(|_| !links.is_empty()) {
            response.insert("links".to_owned(), links.into());
        }
    }
}

fn targets(source: Source<'_>) -> Vec<Target<'_>> {
    let paths = source.get("/paths").and_then(Value::as_object).into_iter().flatten();
    let targets = paths.flat_map(|(path, item)| {
        let operations = item.as_object().into_iter().flat_map(Map::values);
        let ids = operations.filter_map(|operation| operation.get("operationId")?.as_str());
        ids.map(|id| Target {
            id,
            path,
            parameters: in_path(path).collect(),
        })
    });
    targets.filter(|target| !target.parameters.is_empty()).collect()
}

fn in_path(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|part| part.split('}').next())
}

/// The path parameters that say whose ids they take.
fn takers(source: Source<'_>) -> IndexMap<&str, Vec<&str>> {
    let paths = source.get("/paths").and_then(Value::as_object).into_iter().flatten();
    let items = paths.flat_map(|(path, item)| {
        let methods = item.as_object().into_iter().flat_map(Map::keys);
        methods.map(move |method| (path, method))
    });
    let parameters = items.flat_map(|(path, method)| source.parameters(path, method));
    let takers = parameters.filter_map(|parameter| {
        let objects = parameter.get(KEYWORD)?.as_array()?;
        let objects = objects.iter().filter_map(Value::as_str).collect();
        Some((parameter.get("name")?.as_str()?, objects))
    });
    takers.collect()
}

/// The objects that an answer has, by the names of their schemas, with their pointers: those that are less deep first.
fn objects(source: Source<'_>, answer: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for depth in 0..=DEPTH {
        within(source, answer, "", depth, &mut found);
    }
    found
}

/// Adds the objects at exactly this depth.
fn within(source: Source<'_>, schema: &Value, at: &str, depth: usize, found: &mut Vec<(String, String)>) {
    let reference = schema.get("$ref").and_then(Value::as_str);
    let name = reference.and_then(|reference| reference.rsplit('/').next());
    if let Some(name) = name.filter(|_| depth == 0) {
        found.push((name.to_owned(), at.to_owned()));
    }
    let resolved = source.resolve_in(schema);
    let parts = ["oneOf", "allOf"]
        .into_iter()
        .filter_map(|key| resolved.get(key)?.as_array());
    for part in parts.flatten() {
        within(source, part, at, depth, found);
    }
    let Some(deeper) = depth.checked_sub(1) else { return };
    if let Some(items) = resolved.get("items") {
        within(source, items, &format!("{at}/0"), deeper, found);
    }
    let members = resolved.get("properties").and_then(Value::as_object);
    for (name, member) in members.into_iter().flatten() {
        within(source, member, &format!("{at}/{name}"), deeper, found);
    }
}

/// The pointer of the first member that has an id, by what has it: `Object` for its id, or `Object.member`.
fn place(objects: &[(String, String)], owners: &[&str]) -> Option<String> {
    objects.iter().find_map(|(name, at)| {
        let member = owners.iter().find_map(|owner| match owner.split_once('.') {
            Some((object, member)) => (object == name).then_some(member),
            None => (owner == name).then_some("id"),
        });
        Some(format!("{at}/{}", member?))
    })
}

/// The links to the operations that take an id of the answer, and nothing else that is unknown.
fn links(
    targets: &[Target<'_>],
    path: &str,
    given: &Expressions<'_>,
    found: &Expressions<'_>,
    is_new: bool,
) -> Map<String, Value> {
    let mut links = Map::new();
    for target in targets.iter().filter(|target| is_new || target.path != path) {
        let parameters = target.parameters.iter().map(|name| {
            let (first, second) = if is_new { (found, given) } else { (given, found) };
            Some((*name, first.get(name).or_else(|| second.get(name))?))
        });
        let Some(parameters) = parameters.collect::<Option<Vec<_>>>() else {
            continue;
        };
        if parameters
            .iter()
            .any(|(_, expression)| expression.starts_with("$response"))
        {
            let parameters: Map<String, Value> = parameters
                .into_iter()
                .map(|(name, expression)| (name.to_owned(), json!(expression)))
                .collect();
            links.insert(
                target.id.to_owned(),
                json!({ "operationId": target.id, "parameters": parameters }),
            );
        }
    }
    links
}
