//! Who a person of an identity provider is here.
//!
//! A provider speaks only for addresses in the domains that its organization owns. Somebody without an account gets one, and
//! becomes a member, as does somebody whom only this organization has invited. Everybody else with an account, a member too, has
//! to prove once that the account is theirs, because whoever runs the provider gets into the account by it, with all its
//! organizations. From then on the name that the provider has for the person counts, and no longer the address. Where the provider
//! has no lasting name for them, the address is the name.

use entity::{
    identity::users,
    ids::{OrganizationId, UserId},
    organizations::{
        members::Model as Member,
        saml_providers::{Column as ProviderColumn, Entity as Providers, Model as Provider, identities, requests},
    },
    timestamp::Timestamp,
};
use openapi::{error::ApiError, formats, models::texts::DISPLAY_NAME};
use platform::db::{Tx, fold, rows};
use saml::Assertion;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;

use super::hash;

use crate::{
    access::rows::TeamRef,
    areas::{
        identity::users::{name_from_address, store as users_store},
        organizations::{members, organizations::domain_store, saml_providers, teams},
    },
    kernel::audit::Changed,
};

/// Why a person whom the identity provider knows is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// The assertion has no email address that can be used.
    NoEmail,
    /// The organization does not own the domain of the address.
    ForeignDomain,
    /// The person had signed in before and is a member no more, or was removed.
    NotAMember,
    /// The user is suspended, or disabled as a member.
    Disabled,
    /// The attributes of a visitor are too long for an address.
    TooLong,
}

/// A person who is let in.
pub struct Person {
    pub user: UserId,
    email: String,
    /// Whether they became a member just now.
    joined: bool,
}

/// Whom an assertion is about.
pub enum Found {
    Person(Person),
    /// Somebody has an account with the address, into which no provider of the organization has led yet.
    Unproven {
        user: UserId,
        subject_hash: Vec<u8>,
    },
}

impl Person {
    fn of(user: users::Model, joined: bool) -> Self {
        Self {
            user: user.id,
            email: user.email,
            joined,
        }
    }

    /// The event of the sign-in.
    pub fn changed(self, provider: &Provider) -> Result<Changed<UserId>, ApiError> {
        let target = members::target(provider.organization_id, self.user).labelled(self.email);
        Changed::of(target, self.user).with(json!({ "provider": provider.id, "joined": self.joined }))
    }
}

/// Finds the user of an assertion, or makes one.
pub async fn find_or_create(
    tx: &Tx,
    provider: &Provider,
    assertion: &Assertion,
    new: UserId,
    now: Timestamp,
) -> Result<Result<Found, Rejection>, ApiError> {
    let organization = provider.organization_id;
    let named = assertion.subject.as_ref();
    let named = named.map(|name| hash(&format!("{}\n{name}", provider.entity_id)));
    if let Some(subject) = &named
        && let Some(known) = find_linked(tx, provider, subject).await?
    {
        return Ok(known.map(Found::Person));
    }
    let Some((email, domain)) = assertion.email.as_deref().and_then(address) else {
        return Ok(Err(Rejection::NoEmail));
    };
    if !domain_store::owns(tx, organization, domain).await? {
        return Ok(Err(Rejection::ForeignDomain));
    }
    let by_address = || hash(&format!("{}\naddress\n{email}", provider.entity_id));
    let subject = named.clone().unwrap_or_else(by_address);
    if named.is_none()
        && let Some(known) = find_linked(tx, provider, &subject).await?
    {
        return Ok(known.map(Found::Person));
    }
    let person = match users_store::find_by_email(tx, &email).await? {
        Some(user) if user.email_verified || user.suspended_at.is_some() => {
            let id = user.id;
            match existing(tx, provider, user).await? {
                Ok(person) if is_linked(tx, organization, id).await? => person,
                Err(Rejection::NotAMember) if members::removed::is_noted(tx, organization, id).await? => {
                    return Ok(Err(Rejection::NotAMember));
                }
                Ok(_) | Err(Rejection::NotAMember) => {
                    return Ok(Ok(Found::Unproven {
                        user: id,
                        subject_hash: subject,
                    }));
                }
                Err(rejection) => return Ok(Err(rejection)),
            }
        }
        Some(invited) if members::removed::is_noted(tx, organization, invited.id).await? => {
            return Ok(Err(Rejection::NotAMember));
        }
        // Other organizations have let them in, by their address.
        Some(invited) if members::store::is_elsewhere(tx, organization, invited.id).await? => {
            return Ok(Ok(Found::Unproven {
                user: invited.id,
                subject_hash: subject,
            }));
        }
        Some(invited) => {
            let fresh = users_store::new(new, now, &email, &display_name(assertion, &email));
            let user = users_store::take_over(tx, invited, fresh).await?;
            join(tx, provider, user, now).await?
        }
        None => {
            let user = users_store::new(new, now, &email, &display_name(assertion, &email));
            users_store::insert(tx, &user).await?;
            join(tx, provider, user, now).await?
        }
    };
    link(tx, provider, subject, person.user, now).await?;
    Ok(Ok(Found::Person(person)))
}

/// Makes a user a member who has proven that the account is theirs, and remembers the name that the provider has for them.
pub async fn join_proven(
    tx: &Tx,
    provider: &Provider,
    request: &requests::Model,
    now: Timestamp,
) -> Result<Option<Person>, ApiError> {
    let user = users_store::find(tx, request.user_id).await?;
    let Some(user) = user.filter(|user| user.suspended_at.is_none()) else {
        return Ok(None);
    };
    if members::removed::is_noted(tx, provider.organization_id, user.id).await? {
        return Ok(None);
    }
    let member = members::store::find(tx, provider.organization_id, user.id).await?;
    // The provider speaks for the domain, and they have proven that the account is theirs.
    let user = users_store::verify(tx, user).await?;
    let person = match member {
        Some(Member { disabled: true, .. }) => return Ok(None),
        Some(_) => Person::of(user, false),
        None => join(tx, provider, user, now).await?,
    };
    if let Some(subject) = &request.subject_hash {
        let known = identities::Entity::find_by_id((provider.id, subject.clone()));
        if known.one(tx).await?.is_none() {
            link(tx, provider, subject.clone(), person.user, now).await?;
        }
    }
    Ok(Some(person))
}

/// The person whom a provider knows by a name already.
async fn find_linked(
    tx: &Tx,
    provider: &Provider,
    subject_hash: &[u8],
) -> Result<Option<Result<Person, Rejection>>, ApiError> {
    let known = identities::Entity::find_by_id((provider.id, subject_hash.to_vec()));
    let Some(known) = known.one(tx).await? else {
        return Ok(None);
    };
    let user = users_store::find(tx, known.user_id).await?;
    Ok(Some(match user {
        Some(user) => existing(tx, provider, user).await?,
        None => Err(Rejection::NotAMember),
    }))
}

/// Whether a provider of the organization has led into an account before, by whatever name: the account is not kept from those
/// who run the providers any more.
async fn is_linked(tx: &Tx, organization: OrganizationId, user: UserId) -> Result<bool, ApiError> {
    let query = identities::Entity::find()
        .inner_join(Providers)
        .filter(ProviderColumn::OrganizationId.eq(organization));
    let linked = query.filter(identities::Column::UserId.eq(user)).one(tx).await?;
    Ok(linked.is_some())
}

async fn link(
    tx: &Tx,
    provider: &Provider,
    subject_hash: Vec<u8>,
    user_id: UserId,
    now: Timestamp,
) -> Result<(), ApiError> {
    let row = identities::Model {
        provider_id: provider.id,
        subject_hash,
        user_id,
        created_at: now,
    };
    Ok(rows::insert(tx, &row).await?)
}

/// Lets in a user who exists, if they are a member.
async fn existing(tx: &Tx, provider: &Provider, user: users::Model) -> Result<Result<Person, Rejection>, ApiError> {
    let member = members::store::find(tx, provider.organization_id, user.id).await?;
    Ok(match member {
        _ if user.suspended_at.is_some() => Err(Rejection::Disabled),
        None => Err(Rejection::NotAMember),
        Some(Member { disabled: true, .. }) => Err(Rejection::Disabled),
        Some(_) => Ok(Person::of(user, false)),
    })
}

/// Makes a user a member, with the role and the team of the provider.
async fn join(tx: &Tx, provider: &Provider, user: users::Model, now: Timestamp) -> Result<Person, ApiError> {
    let organization = provider.organization_id;
    let joined = members::store::add(tx, organization, user.id, provider.default_role, now).await?;
    members::store::set_sso(tx, organization, user.id).await?;
    if joined {
        add_to_team(tx, provider, user.id, now).await?;
    }
    Ok(Person::of(user, joined))
}

async fn add_to_team(tx: &Tx, provider: &Provider, user: UserId, now: Timestamp) -> Result<(), ApiError> {
    let organization = provider.organization_id;
    match provider.default_team_id {
        Some(team) if saml_providers::store::has_team(tx, organization, team).await? => {
            teams::add_member(tx, TeamRef { organization, team }, user, now).await
        }
        _ => Ok(()),
    }
}

/// An address in lower case, and its domain. `None`: it cannot be one.
fn address(text: &str) -> Option<(String, String)> {
    let written = text.trim();
    let email = fold(written);
    let domain = email.rsplit_once('@')?.1.to_owned();
    (formats::is_email(written) && domain.contains('.')).then_some((email, domain))
}

/// The name to show: what the identity provider says, as far as the contract allows it, or a name from the address.
fn display_name(assertion: &Assertion, email: &str) -> String {
    let name = assertion.display_name.as_deref();
    name.and_then(|name| DISPLAY_NAME.clean(name))
        .unwrap_or_else(|| name_from_address(email))
}
