//! The answers of scripts that render components.

use openapi::{
    enums::Enumeration,
    models::{
        ContentKitCompleteOutput, ContentKitElementOutput, ContentKitRenderOutput, ContentKitRootElement,
        ContentKitRootElementType,
    },
};
use serde_json::{Map, Value};

use crate::areas::integrations::running::ScriptAnswer;

/// The largest component, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// The longest time that a component is kept, in seconds: a day.
const MAX_AGE: u32 = 24 * 60 * 60;

/// Reads a component. An error is the reason why the answer has none.
pub fn read(answer: &ScriptAnswer) -> Result<ContentKitRenderOutput, String> {
    if answer.status != 200 {
        return Err(format!(
            "The script responded to ui_render with the status {}.",
            answer.status
        ));
    }
    if answer.body.len() > MAX_BYTES {
        return Err(format!("The component has more than {MAX_BYTES} bytes."));
    }
    let output: Value = serde_json::from_slice(&answer.body)
        .map_err(|error| format!("The answer to ui_render is not JSON: {error}."))?;
    let Value::Object(mut output) = output else {
        return Err("The answer to ui_render is not an object.".to_owned());
    };
    match (
        output.remove("type").as_ref().and_then(Value::as_str),
        output.remove("element"),
    ) {
        (None | Some("element"), Some(Value::Object(of))) => element(of, output),
        (Some("complete"), None) => Ok(ContentKitRenderOutput::ContentKitCompleteOutput(
            ContentKitCompleteOutput {
                r#type: Default::default(),
                return_value: match output.remove("returnValue") {
                    Some(Value::Object(value)) => Some(value.into_iter().collect()),
                    _ => None,
                },
            },
        )),
        _ => Err("The answer to ui_render is neither an element nor complete.".to_owned()),
    }
}

/// Scripts may leave out what is empty.
fn element(mut element: Map<String, Value>, mut output: Map<String, Value>) -> Result<ContentKitRenderOutput, String> {
    let name = element.remove("type");
    let root = name
        .as_ref()
        .and_then(Value::as_str)
        .and_then(ContentKitRootElementType::from_text);
    let mut object = |member: &str| match output.remove(member) {
        Some(Value::Object(value)) => value,
        _ => Map::new(),
    };
    let (state, props) = (object("state"), object("props"));
    let children = match element.remove("children") {
        Some(Value::Array(children)) => Some(children.into_iter().filter_map(members).collect()),
        _ => None,
    };
    Ok(ContentKitRenderOutput::ContentKitElementOutput(
        ContentKitElementOutput {
            r#type: Default::default(),
            element: ContentKitRootElement {
                r#type: root.ok_or("The element of ui_render is no block, modal or configuration.")?,
                children,
                additional: element.into_iter().collect(),
            },
            state: state.into_iter().collect(),
            props: props.into_iter().collect(),
            can_access_visitor_claims: output.get("canAccessVisitorClaims").and_then(Value::as_bool),
        },
    ))
}

/// The members of a child. `None`: it is no element.
fn members<T: FromIterator<(String, Value)>>(child: Value) -> Option<T> {
    match child {
        Value::Object(members) => Some(members.into_iter().collect()),
        _ => None,
    }
}

/// How long the script lets the component be kept, in seconds.
pub fn max_age(answer: &ScriptAnswer) -> Option<u32> {
    let (_, value) = answer
        .headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("cache-control"))?;
    let mut directives = value.split(',').map(str::trim);
    let seconds = directives.find_map(|directive| directive.strip_prefix("max-age="))?;
    let seconds: u32 = seconds.trim_matches('"').parse().ok()?;
    (seconds > 0).then_some(seconds.min(MAX_AGE))
}
