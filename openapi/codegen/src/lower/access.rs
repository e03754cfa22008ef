//! `x-access-resources` and the `x-access` of each operation.

use crate::{
    model::{Access, Resource, Within},
    node::Node,
};

use super::Lowering;

impl Lowering<'_> {
    pub(super) fn read_resources(&mut self, entry: &Node) {
        for (name, resource) in entry.get("x-access-resources").into_iter().flat_map(Node::map) {
            let node = &resource.node;
            self.only(
                node,
                "an access resource",
                &[
                    "description",
                    "within",
                    "parameters",
                    "bodyMembers",
                    "levels",
                    "scale",
                    "mayBeAbsent",
                    "needs",
                ],
            );
            let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect::<Vec<_>>();
            let levels = owned(node.texts("levels"));
            if levels.is_empty() {
                self.findings.add(
                    &resource.place,
                    format!("the access resource `{name}` has no levels"),
                    "List the levels, lowest first.",
                );
            }
            let resource = Resource {
                place: resource.place.clone(),
                doc: node.str("description").unwrap_or_default().to_owned(),
                within: self.within(name, node),
                parameters: owned(node.texts("parameters")),
                body_members: owned(node.texts("bodyMembers")),
                levels,
                scale: node.str("scale").map(str::to_owned),
                takes_self: false,
                may_be_absent: node.bool("mayBeAbsent"),
            };
            self.check_scale(name, &resource);
            self.resources.insert(name.to_owned(), resource);
        }
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
        self.only(node, "x-access", &["resource", "level", "orSelf"]);
        let resource = node.str("resource").unwrap_or_default();
        let access = Access {
            resource: resource.to_owned(),
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
