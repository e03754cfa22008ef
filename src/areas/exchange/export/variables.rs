//! The file of variables.

use std::collections::BTreeMap;

use content::pages::Variable;

pub fn write(variables: &[Variable]) -> String {
    let all: BTreeMap<&str, &str> = variables
        .iter()
        .map(|variable| (variable.name.as_str(), variable.value.as_str()))
        .collect();
    // Texts can always be written as YAML.
    yaml_serde::to_string(&all).unwrap_or_default()
}
