//! Values made from schemas: valid ones, and such with one thing changed.

use proptest::{
    strategy::{Strategy, ValueTree},
    string::string_regex,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use rand::{RngExt, seq::IndexedRandom};
use serde_json::{Map, Value, json};

use super::contract::resolve;

/// Below this, only what is required is made, and lists stay empty.
const MAX_DEPTH: usize = 7;

/// Texts of a pattern that are made until one is short enough.
const TRIES: usize = 20;

pub struct Samples {
    rng: TestRng,
}

impl Samples {
    pub fn new(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self {
            rng: TestRng::from_seed(RngAlgorithm::ChaCha, &bytes),
        }
    }

    fn chance(&mut self, of: u32) -> bool {
        self.rng.random_ratio(1, of)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        from.choose(&mut self.rng).unwrap()
    }

    /// A value that the schema accepts.
    pub fn valid(&mut self, schema: &'static Value, depth: usize) -> Value {
        let schema = resolve(schema);
        if let Some(values) = schema["enum"].as_array() {
            return self.pick(values).clone();
        }
        if schema["const"] != Value::Null {
            return schema["const"].clone();
        }
        if let Some(choices) = schema["oneOf"].as_array() {
            let choice = if depth > MAX_DEPTH {
                &choices[0]
            } else {
                self.pick(choices)
            };
            return self.valid(choice, depth + 1);
        }
        let mut value = self.typed(schema, depth);
        for part in schema["allOf"].as_array().into_iter().flatten() {
            let part = self.valid(part, depth);
            match (&mut value, part) {
                (Value::Object(whole), Value::Object(part)) => whole.extend(part),
                (whole, part) => *whole = part,
            }
        }
        value
    }

    fn typed(&mut self, schema: &'static Value, depth: usize) -> Value {
        let types = schema["type"].as_array();
        if let Some(types) = types
            && types.contains(&json!("null"))
            && self.chance(3)
        {
            return Value::Null;
        }
        let main = types
            .and_then(|types| types.iter().find(|t| *t != "null"))
            .unwrap_or(&schema["type"]);
        match main.as_str() {
            Some("string") => self.text(schema).into(),
            Some("integer") => self.integer(schema).into(),
            Some("number") => (self.integer(schema) as f64 / 2.0)
                .max(schema["minimum"].as_f64().unwrap_or(f64::MIN))
                .into(),
            Some("boolean") => self.rng.random::<bool>().into(),
            Some("null") => Value::Null,
            Some("array") => self.array(schema, depth),
            Some("object") => self.object(schema, depth),
            _ => json!({}),
        }
    }

    fn text(&mut self, schema: &Value) -> String {
        match schema["format"].as_str() {
            Some("uri") => {
                let whole = "https://tidewater.example/logo.png?size=64#top";
                let path = "https://tidewater.example/logo.png";
                let pattern = &schema["pattern"];
                let fits = pattern.is_null() || jsonschema::is_valid(&json!({ "pattern": pattern }), &json!(whole));
                return if fits { whole } else { path }.to_owned();
            }
            Some("email") => return "ines@tidewater.example".to_owned(),
            Some("date-time") => {
                return self
                    .pick(&["2031-01-02T03:04:05Z", "2031-01-02T03:04:05.678+02:00"])
                    .to_string();
            }
            _ => {}
        }
        let pattern = schema["pattern"]
            .as_str()
            .map(|pattern| pattern.replace("{0,61}", "{0,6}"));
        if let Some(pattern) = pattern {
            let seed = self.rng.random();
            let mut runner = TestRunner::new_with_rng(
                Config::default(),
                TestRng::from_seed(RngAlgorithm::ChaCha, &seed_of(seed)),
            );
            let made = string_regex(pattern.trim_start_matches('^').trim_end_matches('$')).unwrap();
            let longest = schema["maxLength"]
                .as_u64()
                .map_or(usize::MAX, |most| usize::try_from(most).unwrap());
            let shortest = usize::try_from(schema["minLength"].as_u64().unwrap_or(0)).unwrap();
            // What repeats without a limit is seldom short, and what may be left out is often missing.
            let mut texts = (0..TRIES).map(|_| made.new_tree(&mut runner).unwrap().current());
            let short = texts.find(|text| (shortest..=longest).contains(&text.chars().count()));
            return short.unwrap_or_else(|| made.new_tree(&mut runner).unwrap().current());
        }
        let min = schema["minLength"].as_u64().unwrap_or(0);
        let max = schema["maxLength"].as_u64().unwrap_or(12).min(min + 12);
        let length = self.rng.random_range(min..=max);
        let alphabet: Vec<char> = "abc XYZ-09äß語\u{1F600}\"\\/\n".chars().collect();
        (0..length).map(|_| *self.pick(&alphabet)).collect()
    }

    fn integer(&mut self, schema: &Value) -> i64 {
        let min = schema["minimum"].as_i64().unwrap_or(-1000);
        let max = schema["maximum"].as_i64().unwrap_or(min.saturating_add(1000));
        self.rng.random_range(min..=max)
    }

    fn array(&mut self, schema: &'static Value, depth: usize) -> Value {
        let min = schema["minItems"].as_u64().unwrap_or(0);
        let max = schema["maxItems"].as_u64().unwrap_or(3).min(min.max(3));
        let length = if depth > MAX_DEPTH {
            min
        } else {
            self.rng.random_range(min..=max)
        };
        let mut items: Vec<Value> = (0..length).map(|_| self.valid(&schema["items"], depth + 1)).collect();
        if schema["uniqueItems"] == true {
            items.dedup();
        }
        items.into()
    }

    fn object(&mut self, schema: &'static Value, depth: usize) -> Value {
        let required = schema["required"].as_array();
        let is_required = |name: &String| required.is_some_and(|names| names.iter().any(|n| n == name));
        let mut members = Map::new();
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            if is_required(name) || (depth <= MAX_DEPTH && self.chance(2)) {
                members.insert(name.clone(), self.valid(member, depth + 1));
            }
        }
        if schema["additionalProperties"].is_object() && depth <= MAX_DEPTH {
            for _ in 0..self.rng.random_range(0..3) {
                let name = format!("key-{}", self.rng.random_range(0..100));
                members.insert(name, self.valid(&schema["additionalProperties"], depth + 1));
            }
        }
        drop_excluded(schema, &mut members);
        members.into()
    }

    /// The value with one thing changed somewhere; it may still be valid.
    pub fn changed(&mut self, mut value: Value) -> Value {
        let count = size(&value);
        let at = self.rng.random_range(0..count);
        let mut left = at;
        self.change_at(&mut value, &mut left);
        value
    }

    fn change_at(&mut self, value: &mut Value, left: &mut usize) -> bool {
        if *left == 0 {
            *value = self.replacement(value);
            return true;
        }
        *left -= 1;
        match value {
            Value::Array(items) => items.iter_mut().any(|item| self.change_at(item, left)),
            Value::Object(members) => members.values_mut().any(|member| self.change_at(member, left)),
            _ => false,
        }
    }

    fn replacement(&mut self, old: &Value) -> Value {
        match old {
            Value::Object(members) if self.chance(2) => {
                let mut members = members.clone();
                let name = members
                    .keys()
                    .nth(self.rng.random_range(0..members.len().max(1)))
                    .cloned();
                match name {
                    Some(name) if self.chance(2) => drop(members.remove(&name)),
                    _ => drop(members.insert("surprise".into(), json!(1))),
                }
                members.into()
            }
            Value::Array(items) if self.chance(2) => {
                let mut items = items.clone();
                items.extend(items.first().cloned());
                items.into()
            }
            Value::String(text) if self.chance(2) => self
                .pick(&[
                    json!(""),
                    json!(text.repeat(40)),
                    json!(format!("{text}!")),
                    json!("ä".repeat(70)),
                ])
                .clone(),
            Value::Number(_) if self.chance(2) => self
                .pick(&[
                    json!(-1),
                    json!(5.0),
                    json!(0.5),
                    json!(1e30),
                    json!(u64::MAX),
                    json!(4_294_967_296_u64),
                ])
                .clone(),
            _ => self
                .pick(&[
                    json!(null),
                    json!(true),
                    json!(0),
                    json!("text"),
                    json!([]),
                    json!({}),
                    json!([{}]),
                ])
                .clone(),
        }
    }
}

/// Removes one of two members that exclude each other.
fn drop_excluded(schema: &Value, members: &mut Map<String, Value>) {
    let Some(wrong) = schema.get("not") else { return };
    let pairs = wrong["anyOf"]
        .as_array()
        .map_or(std::slice::from_ref(wrong), Vec::as_slice);
    for pair in pairs {
        let [first, second] = [0, 1].map(|at| pair["required"][at].as_str().unwrap());
        if members.contains_key(first) {
            members.remove(second);
        }
    }
}

fn seed_of(seed: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes
}

fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members.values().map(size).sum(),
        _ => 0,
    }
}
