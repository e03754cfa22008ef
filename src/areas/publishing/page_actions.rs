//! The actions that pages offer, which clients write as a list or as switches.

use serde_json::{Value, json};

/// The actions with a switch, and where in the settings it is.
const SWITCHES: [(&str, [&str; 2]); 5] = [
    ("external-ai", ["pageActions", "externalAI"]),
    ("markdown", ["pageActions", "markdown"]),
    ("mcp", ["pageActions", "mcp"]),
    ("git", ["git", "showEditLink"]),
    ("pdf", ["pdf", "enabled"]),
];

/// Sets the switches by the list of a request. Switches that are sent beside a list count only if the list is as it was answered
/// before the request: clients send back members that they do not know.
pub fn set_switches(settings: &mut Value, mut before: Value) {
    let Some(sent) = sent(settings) else {
        return;
    };
    list(&mut before);
    let is_unchanged = self::sent(&before).as_ref() == Some(&sent);
    for (action, [part, switch]) in SWITCHES {
        let part = settings
            .as_object_mut()
            .map(|settings| settings.entry(part).or_insert_with(|| json!({})));
        let Some(part) = part.and_then(Value::as_object_mut) else {
            continue;
        };
        if !(is_unchanged && part.contains_key(switch)) {
            part.insert(switch.to_owned(), sent.iter().any(|item| item == action).into());
        }
    }
}

/// Lists the actions that are on: those of the list that was sent, in their order, before the others.
pub fn list(settings: &mut Value) {
    let is_on = |action: &Value| {
        let switch = SWITCHES.iter().find(|(name, _)| action == name);
        switch.is_none_or(|(_, [part, switch])| {
            settings.get(part).and_then(|part| part.get(switch)) == Some(&true.into())
        })
    };
    let mut items = sent(settings).unwrap_or_default();
    items.retain(is_on);
    for (action, _) in SWITCHES {
        let action = Value::from(action);
        if is_on(&action) && !items.contains(&action) {
            items.push(action);
        }
    }
    if let Some(actions) = settings.get_mut("pageActions").and_then(Value::as_object_mut) {
        actions.insert("items".to_owned(), items.into());
    }
}

fn sent(settings: &Value) -> Option<Vec<Value>> {
    settings.pointer("/pageActions/items")?.as_array().cloned()
}
