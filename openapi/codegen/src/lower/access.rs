//! `x-access-resources` and the `x-access` of each operation.

use heck::{ToSnakeCase, ToUpperCamelCase};

use crate::{
    finding::Place,
    model::{Access, Resource, Within},
    node::Node,
};

use super::Lowering;

/// The members of a resource, and those of them that a modifier replaces.
const RESOURCE_MEMBERS: &[&str] = &[
    "description",
    "within",
    "parameters",
    "bodyMembers",
    "levels",
    "scale",
    "needs",
];
const CHANGED_MEMBERS: &[&str] = &["description", "levels", "needs"];

/// The name of a resource with a modifier.
fn variant(resource: &str, modifier: &str) -> String {
    format!("{resource}{}", modifier.to_upper_camel_case())
}

/// The context in whose folder a resource is declared; in a contract of one file, the first one.
fn context(entry: &Node, place: &Place) -> String {
    let folder = place
        .file
        .strip_prefix("components/")
        .and_then(|rest| rest.split_once('/'));
    let first = || {
        let group = entry.get("x-tagGroups")?.list().first()?;
        Some(group.str("name")?.to_snake_case())
    };
    folder.map_or_else(|| first().unwrap_or_default(), |(context, _)| context.to_owned())
}

impl Lowering<'_> {
    /// Reads the resources of all contexts. A resource has a variant per modifier, with the members that the modifier replaces.
    pub(super) fn read_resources(&mut self, entry: &Node) {
        let documents = self.documents;
        for (name, written) in entry.get("x-access-resources").into_iter().flat_map(Node::map) {
            let Some((node, _)) = documents.resolve(&written.node, self.findings) else {
                continue;
            };
            self.only(node, "an access resource", &[RESOURCE_MEMBERS, &["modifiers"]].concat());
            let context = context(entry, &node.place);
            self.read_resource(name, &context, node, None);
            for (modifier, change) in node.get("modifiers").into_iter().flat_map(Node::map) {
                self.only(&change.node, "a modifier", CHANGED_MEMBERS);
                self.read_resource(&variant(name, modifier), &context, node, Some(&change.node));
                self.modifiers
                    .entry(name.to_owned())
                    .or_default()
                    .push(modifier.to_owned());
            }
        }
    }

    fn read_resource(&mut self, name: &str, context: &str, node: &Node, change: Option<&Node>) {
        let changed = |member: &str| change.filter(|change| change.get(member).is_some()).unwrap_or(node);
        let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect::<Vec<_>>();
        let levels = owned(changed("levels").texts("levels"));
        if levels.is_empty() {
            self.findings.add(
                &node.place,
                format!("the access resource `{name}` has no levels"),
                "List the levels, lowest first.",
            );
        }
        let has_own_levels = change.is_some_and(|change| change.get("levels").is_some());
        let resource = Resource {
            place: change.unwrap_or(node).place.clone(),
            context: context.to_owned(),
            doc: changed("description").str("description").unwrap_or_default().to_owned(),
            within: self.within(name, node),
            parameters: owned(node.texts("parameters")),
            body_members: owned(node.texts("bodyMembers")),
            levels,
            scale: node.str("scale").filter(|_| !has_own_levels).map(str::to_owned),
            takes_self: false,
        };
        self.check_scale(name, &resource);
        self.resources.insert(name.to_owned(), resource);
    }

    /// The level on an earlier resource that is decided first.
    fn within(&mut self, name: &str, node: &Node) -> Option<Within> {
        let Some(written) = node.get("within") else {
            if node.get("bodyMembers").is_some() {
                self.findings.add(
                    &node.place,
                    format!("the access resource `{name}` is named by the body alone"),
                    "Name with `within` the access that is decided before the body is read.",
                );
            }
            return None;
        };
        self.only(written, "within", &["resource", "level"]);
        let within = Within {
            resource: written.str("resource").unwrap_or_default().to_owned(),
            level: written.str("level").unwrap_or_default().to_owned(),
        };
        let parameters = node.texts("parameters");
        let fits = self.resources.get(&within.resource).is_some_and(|outer| {
            outer.within.is_none()
                && outer.levels.contains(&within.level)
                && outer.parameters.iter().all(|name| parameters.contains(&name.as_str()))
        });
        if !fits {
            self.findings.add(
                &written.place,
                format!("the access resource `{name}` is not within a level of an earlier resource"),
                "Name a resource that stands above and is within no other, one of its levels, and list its parameters.",
            );
        }
        Some(within)
    }

    /// Several levels have a scale, and the same levels have the same scale.
    fn check_scale(&mut self, name: &str, resource: &Resource) {
        if resource.scale.is_some() == (resource.levels.len() == 1) {
            self.findings.add(
                &resource.place,
                format!("the access resource `{name}` has several levels without a scale, or a scale for one level"),
                "Name several levels with `scale`, as other resources with the same levels do.",
            );
        }
        let differs = |other: &Resource| {
            let same_scale = resource.scale.is_some() && other.scale == resource.scale;
            let same_levels = resource.levels.len() > 1 && other.levels == resource.levels;
            same_scale != same_levels
        };
        if let Some((other, _)) = self.resources.iter().find(|(_, other)| differs(other)) {
            self.findings.add(
                &resource.place,
                format!(
                    "the access resources `{name}` and `{other}` have one scale and different levels, or the reverse"
                ),
                "Give the same levels the same `scale`, and different levels different ones.",
            );
        }
    }

    pub(super) fn read_access(&mut self, operation: &Node, what: &str, path_parameters: &[String]) -> Access {
        let Some(node) = operation.get("x-access") else {
            self.findings.add(
                &operation.place,
                format!("{what} has no x-access"),
                "Declare the required access: `x-access: {resource: …, level: …}`.",
            );
            return Access::default();
        };
        let named = node.str("resource").unwrap_or_default();
        let modifiers = self.modifiers.get(named).cloned().unwrap_or_default();
        let known: Vec<&str> = modifiers.iter().map(String::as_str).collect();
        self.only(
            node,
            "x-access",
            &[&["resource", "level", "orSelf"], known.as_slice()].concat(),
        );
        let modifier = modifiers.iter().find(|modifier| node.bool(modifier));
        let resource = &modifier.map_or_else(|| named.to_owned(), |modifier| variant(named, modifier));
        let access = Access {
            resource: resource.clone(),
            level: node.str("level").unwrap_or_default().to_owned(),
            parameters: self
                .resources
                .get(resource)
                .map(|r| r.parameters.clone())
                .unwrap_or_default(),
            body_members: self
                .resources
                .get(resource)
                .map(|r| r.body_members.clone())
                .unwrap_or_default(),
            or_self: node.str("orSelf").map(str::to_owned),
        };
        let Some(resource) = self.resources.get(&access.resource) else {
            let known: Vec<&str> = self.resources.keys().map(String::as_str).collect();
            self.findings.add(
                &node.place,
                format!("{what}: unknown access resource `{}`", access.resource),
                format!(
                    "Use one of {}, or add the resource to x-access-resources.",
                    known.join(", ")
                ),
            );
            return access;
        };
        let takes_self = resource.takes_self || access.or_self.is_some();
        if !resource.levels.contains(&access.level) {
            let help = format!("Use one of {}.", resource.levels.join(", "));
            let problem = format!("{what}: `{}` has no level `{}`", access.resource, access.level);
            self.findings.add(&node.place, problem, help);
        }
        let wanted: Vec<String> = resource.parameters.iter().chain(&access.or_self).cloned().collect();
        for parameter in wanted {
            if !path_parameters.contains(&parameter) {
                self.findings.add(
                    &node.place,
                    format!("{what}: access needs the path parameter `{parameter}`"),
                    "Add the parameter to the path, or declare access on another resource.",
                );
            }
        }
        if let Some(resource) = self.resources.get_mut(&access.resource) {
            resource.takes_self = takes_self;
        }
        access
    }
}
