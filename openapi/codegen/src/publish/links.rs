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
        let found = takers
            .iter()
            .filter_map(|(name, objects)| Some((*name, place(source, &answer, objects)?)));
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

/// The pointer of the first member of an answer that one of the objects has, as `Object` for its id or `Object.member`.
fn place(source: Source<'_>, answer: &Value, objects: &[&str]) -> Option<String> {
    (0..=DEPTH).find_map(|depth| within(source, answer, objects, depth))
}

fn within(source: Source<'_>, schema: &Value, objects: &[&str], depth: usize) -> Option<String> {
    let name = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| reference.rsplit('/').next());
    let resolved = source.resolve_in(schema);
    if depth == 0
        && let Some(name) = name
    {
        let member = objects.iter().find_map(|object| match object.split_once('.') {
            Some((object, member)) => (object == name).then_some(member),
            None => (*object == name).then_some("id"),
        });
        if let Some(member) = member {
            return Some(format!("/{member}"));
        }
    }
    let parts = ["oneOf", "allOf"]
        .into_iter()
        .filter_map(|key| resolved.get(key)?.as_array())
        .flatten();
    let mut parts = parts.filter_map(|part| within(source, part, objects, depth));
    if let Some(found) = parts.next() {
        return Some(found);
    }
    let deeper = depth.checked_sub(1)?;
    if let Some(items) = resolved.get("items") {
        return Some(format!("/0{}", within(source, items, objects, deeper)?));
    }
    let members = resolved
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    let mut found =
        members.filter_map(|(name, member)| Some(format!("/{name}{}", within(source, member, objects, deeper)?)));
    found.next()
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
