//! The values of the parameters of a template.

use std::collections::{BTreeMap, HashSet};

use content::{
    link_set::LinkTarget,
    objects::Content,
    template::{Kind, Parameter},
};
use entity::ids::PageId;
use openapi::{
    error::{ApiError, ErrorRule},
    models::{ContentRef, ErrorDetail},
};
use rich_text::{ReferenceRole, has_scheme, is_safe_target};
use uuid::Uuid;

use super::destination::Destination;

use crate::{
    access::node_levels::Member,
    areas::{
        content::Contents,
        library::link_targets::{ExternalTargets, computed_page, existing, resolve, slug},
    },
    kernel::Kernel,
};

/// Checks that there is a reference for each parameter, and none besides, and that it has a kind that the parameter takes and
/// leads to something that the member may see. Answers the references as they are in the destination.
pub async fn check(
    contents: &Contents,
    member: &Member,
    parameters: &[Parameter],
    references: BTreeMap<String, ContentRef>,
    to: &Destination,
) -> Result<BTreeMap<String, ContentRef>, ApiError> {
    let missing = parameters
        .iter()
        .filter(|parameter| !references.contains_key(&parameter.name));
    let mut problems: Vec<ErrorDetail> = missing.map(|parameter| missing_value(to, parameter)).collect();
    let seen = SeenTargets::of(contents, member, references.values(), to).await?;
    for (name, reference) in &references {
        let parameter = parameters.iter().find(|parameter| parameter.name == *name);
        problems.extend(problem(
            to,
            name,
            (parameter, reference),
            seen.has(&contents.kernel, reference, to),
        ));
    }
    ApiError::refuse(problems)?;
    let here = to.space.to_string();
    let in_destination = |(name, reference)| (name, without_space(reference, &here));
    Ok(references.into_iter().map(in_destination).collect())
}

/// The targets that exist and that the member may see.
struct SeenTargets {
    /// In the content that the template is added to.
    own: HashSet<LinkTarget>,
    external: ExternalTargets,
}

impl SeenTargets {
    async fn of(
        contents: &Contents,
        member: &Member,
        references: impl Iterator<Item = &ContentRef>,
        to: &Destination,
    ) -> Result<Self, ApiError> {
        let targets = references.map(|reference| (target(&contents.kernel, reference, to), slug(reference)));
        let (own, external): (Vec<_>, Vec<_>) = targets.partition(|(target, _)| is_own(*target, to));
        let own: HashSet<LinkTarget> = own.into_iter().map(|(target, _)| target).collect();
        let mut content = Content::new(contents.kernel.db.read(), &contents.state.objects, to.space);
        let own = content
            .run(|objects| existing(objects, &own, |_| Some(to.snapshot)))
            .await?;
        // The others are in other content.
        drop(content);
        Ok(Self {
            own,
            external: ExternalTargets::of(contents, member, external.into_iter()).await?,
        })
    }

    fn has(&self, kernel: &Kernel, reference: &ContentRef, to: &Destination) -> bool {
        match target(kernel, reference, to) {
            target if is_own(target, to) => self.own.contains(&target),
            target => self.external.has(target, slug(reference)),
        }
    }
}

/// Returns whether a target is stored in the content that the template is added to.
fn is_own(target: LinkTarget, to: &Destination) -> bool {
    target.content() == Some(to.space) && computed_page(target).is_none()
}

/// The target of a reference. A template has no current page, so that an anchor has to name its page.
fn target(kernel: &Kernel, reference: &ContentRef, to: &Destination) -> LinkTarget {
    match reference {
        ContentRef::ContentRefAnchor(anchor) if anchor.page.is_none() => LinkTarget::Nothing,
        reference => resolve(&kernel.urls, reference, (to.space, PageId::from_uuid(Uuid::nil()))),
    }
}

fn missing_value(to: &Destination, parameter: &Parameter) -> ErrorDetail {
    let message = format!(
        "The template needs a reference for the parameter `{}`, of the kind {}.",
        parameter.name,
        kinds(parameter)
    );
    detail(to, &parameter.name, ErrorRule::Required, message)
}

/// The reason why a reference cannot be the value of a parameter.
fn problem(
    to: &Destination,
    name: &str,
    (parameter, reference): (Option<&Parameter>, &ContentRef),
    is_seen: bool,
) -> Option<ErrorDetail> {
    let Some(parameter) = parameter else {
        let message = "The template has no parameter of this name.".to_owned();
        return Some(detail(to, name, ErrorRule::UnknownParameter, message));
    };
    if !Kind::of(reference).is_some_and(|kind| parameter.kinds.contains(&kind)) {
        let message = format!(
            "The parameter `{name}` takes a reference of the kind {}.",
            kinds(parameter)
        );
        return Some(detail(to, name, ErrorRule::ParameterKind, message));
    }
    if let ContentRef::ContentRefUrl(url) = reference {
        // What takes pages is a link everywhere in the template.
        let role = match parameter.kinds.contains(&Kind::Page) {
            true => ReferenceRole::Link,
            false => ReferenceRole::Media,
        };
        let message = "`url` is not a complete address of a kind that is allowed.".to_owned();
        let is_allowed = has_scheme(&url.url) && is_safe_target(role, &url.url);
        return (!is_allowed).then(|| detail(to, name, ErrorRule::ParameterTarget, message));
    }
    let message = "The reference leads to nothing that you may see.".to_owned();
    (!is_seen).then(|| detail(to, name, ErrorRule::ParameterTarget, message))
}

fn kinds(parameter: &Parameter) -> String {
    let names = parameter.kinds.iter().map(|kind| format!("`{}`", kind.name()));
    names.collect::<Vec<_>>().join(", ")
}

fn detail(to: &Destination, name: &str, code: ErrorRule, message: String) -> ErrorDetail {
    let name = name.replace('~', "~0").replace('/', "~1");
    ErrorDetail {
        pointer: format!("{}/params/contentRefs/{name}", to.pointer),
        code,
        message,
    }
}

/// A reference to the destination itself names no space.
fn without_space(mut reference: ContentRef, here: &str) -> ContentRef {
    let space = match &mut reference {
        ContentRef::ContentRefPage(it) => &mut it.space,
        ContentRef::ContentRefAnchor(it) => &mut it.space,
        ContentRef::ContentRefFile(it) => &mut it.space,
        ContentRef::ContentRefReusableContent(it) => &mut it.space,
        ContentRef::ContentRefTag(it) => &mut it.space,
        ContentRef::ContentRefUrl(_)
        | ContentRef::ContentRefUser(_)
        | ContentRef::ContentRefCollection(_)
        | ContentRef::ContentRefSpace(_)
        | ContentRef::ContentRefOpenApi(_) => return reference,
    };
    space.take_if(|space| space == here);
    reference
}
