//! Invitations by email.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use entity::{
    identity::users,
    ids::{InviteId, JobId, OrganizationId, UserId},
    library::invitations::Model,
    organizations::members::MemberRole,
    timestamp::Timestamp,
};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{InviteRecipient, InviteUsers, InvitedUsers},
};
use platform::{
    db::fold,
    jobs,
    mail::{Mail, SendMail},
};
use sea_orm::ConnectionTrait;
use serde_json::json;

use super::{
    daily_limit::{self, Sender},
    mail::invitation_mail,
    store,
};
use crate::{
    access::{Caller, OrganizationAccess, people::sharing_organization},
    areas::{
        identity::users::{name_from_address, store as user_store},
        library::Library,
        organizations::{members, organizations},
    },
    kernel::{
        Kernel,
        audit::Changed,
        urls::Urls,
        wire::{ToStored, ToWire},
    },
};

/// The greatest length of a stored email address.
const MAX_EMAIL: usize = 320;

/// A recipient of an invitation, with the ids of the rows that may have to be inserted.
#[derive(Clone)]
struct Recipient {
    /// Lower-case.
    email: String,
    written: String,
    role: Option<MemberRole>,
    user: UserId,
    invite: InviteId,
    mail_job: JobId,
    /// Nobody had the address before.
    is_new: bool,
}

/// The parts of an invitation that all recipients share.
#[derive(Clone)]
struct Invitation {
    organization: OrganizationId,
    inviter: Caller,
    sso: bool,
    now: Timestamp,
    urls: Arc<Urls>,
    mails_per_day: usize,
}

pub async fn invite(
    library: &Library,
    access: &OrganizationAccess,
    body: InviteUsers,
) -> Result<InvitedUsers, ApiError> {
    let invitation = Invitation {
        organization: access.organization,
        inviter: access.caller.clone(),
        sso: body.sso,
        now: library.kernel.clock.now(),
        urls: library.kernel.urls.clone(),
        mails_per_day: library.invitations_per_day,
    };
    let recipients = recipients(&library.kernel, body)?;
    let work = move |tx| async move { invitation.invite(&tx, recipients).await };
    let invited = library.kernel.write(&access.caller, work).await?;
    library.kernel.jobs.wake();
    Ok(invited)
}

/// The recipients in the body, each once.
fn recipients(kernel: &Kernel, body: InviteUsers) -> Result<Vec<Recipient>, ApiError> {
    let InviteUsers { emails, role, sso: _ } = body;
    let default = role.into_change().flatten();
    let mut seen = HashSet::new();
    let mut recipients = Vec::new();
    for (i, entry) in emails.into_iter().enumerate() {
        let (pointer, written, role) = match entry {
            InviteRecipient::String(email) => (format!("/body/emails/{i}"), email, default),
            InviteRecipient::Object(entry) => (format!("/body/emails/{i}/email"), entry.email, entry.role.0),
        };
        let email = fold(&written);
        // Some characters become two in lower case.
        if email.chars().count() > MAX_EMAIL {
            let message = format!("May have at most {MAX_EMAIL} characters in lower case.");
            return Err(ApiError::invalid_member(pointer, ErrorRule::MaxLength, message));
        }
        if seen.insert(email.clone()) {
            recipients.push(Recipient {
                email,
                written,
                role: role.map(ToStored::to_stored),
                user: kernel.ids.next(),
                invite: super::new_id(kernel)?,
                mail_job: kernel.ids.next(),
                is_new: false,
            });
        }
    }
    Ok(recipients)
}

/// The recipients, by what becomes of them.
#[derive(Default)]
struct Sorted {
    /// Members before and after, in the order of the request.
    members: Vec<UserId>,
    /// Members from now on.
    joining: Vec<Recipient>,
    /// Members if they agree.
    asked: Vec<Recipient>,
}

impl Invitation {
    async fn invite(
        &self,
        db: &impl ConnectionTrait,
        recipients: Vec<Recipient>,
    ) -> Result<Changed<InvitedUsers>, ApiError> {
        let organization = organizations::store::find(db, self.organization).await?;
        let organization = organization.ok_or_else(|| ApiError::not_found("organization"))?;
        let (mut invited, failed) = self.without_foreign_domains(db, recipients).await?;
        self.find_or_create_users(db, &mut invited).await?;
        let Sorted {
            members,
            joining,
            asked,
        } = self.sort(db, invited).await?;
        self.join(db, &joining).await?;
        let mut changed = !joining.is_empty() || !asked.is_empty();
        if self.sso {
            changed |= members::store::mark_sso(db, self.organization, members.clone()).await?;
        }
        self.write_invites(db, &organization.title, &joining, &asked).await?;
        let result = InvitedUsers {
            users: members.iter().map(ToString::to_string).collect(),
            invited: u64::try_from(joining.len() + asked.len()).unwrap_or(u64::MAX),
            failed_sso_emails: (!failed.is_empty()).then_some(failed),
        };
        if !changed {
            return Ok(Changed::nothing(result));
        }
        let role = |r: &Recipient| r.role.map(ToWire::to_wire);
        let joined = joining.iter().map(|r| json!({ "user": r.user, "role": role(r) }));
        // The organization learns who has the address when they join.
        let asked = asked.iter().map(|r| json!({ "email": r.email, "role": role(r) }));
        let payload = json!({ "invited": joined.chain(asked).collect::<Vec<_>>(), "sso": self.sso });
        Changed::of(organizations::target(&organization), result).with(payload)
    }

    /// Sorts recipients by what becomes of them. New users, and users who share an organization with the inviter, join at
    /// once. All others are asked to join, but not again while an earlier invitation lasts.
    async fn sort(&self, db: &impl ConnectionTrait, recipients: Vec<Recipient>) -> Result<Sorted, ApiError> {
        let all: Vec<UserId> = recipients.iter().map(|recipient| recipient.user).collect();
        let existing = members::store::existing(db, self.organization, all.clone()).await?;
        let others: Vec<UserId> = all.into_iter().filter(|user| !existing.contains(user)).collect();
        let known = sharing_organization(db, &self.inviter.identity, others.clone()).await?;
        let asked = store::asked(db, self.organization, others, self.now).await?;
        let mut sorted = Sorted::default();
        for recipient in recipients {
            let is_member = existing.contains(&recipient.user);
            let joins = recipient.is_new || known.contains(&recipient.user);
            if is_member || joins {
                sorted.members.push(recipient.user);
            }
            if is_member || (!joins && asked.contains(&recipient.user)) {
                continue;
            }
            let list = if joins { &mut sorted.joining } else { &mut sorted.asked };
            list.push(recipient);
        }
        Ok(sorted)
    }

    async fn join(&self, db: &impl ConnectionTrait, people: &[Recipient]) -> Result<(), ApiError> {
        let members = people.iter().map(|recipient| (recipient.user, recipient.role));
        Ok(members::store::add_new(db, self.organization, members, self.now).await?)
    }

    /// Members who sign in through the identity provider have an address in a domain of the organization; answers the
    /// other addresses apart.
    async fn without_foreign_domains(
        &self,
        db: &impl ConnectionTrait,
        recipients: Vec<Recipient>,
    ) -> Result<(Vec<Recipient>, Vec<String>), ApiError> {
        if !self.sso {
            return Ok((recipients, Vec::new()));
        }
        let mut domains = organizations::domain_store::of(db, &[self.organization]).await?;
        let domains = domains.remove(&self.organization).unwrap_or_default();
        let allowed = |recipient: &Recipient| {
            let domain = recipient.email.rsplit_once('@').map(|(_, domain)| domain);
            domain.is_some_and(|domain| domains.iter().any(|known| known == domain))
        };
        let (invited, failed): (Vec<_>, Vec<_>) = recipients.into_iter().partition(allowed);
        Ok((invited, failed.into_iter().map(|recipient| recipient.written).collect()))
    }

    /// Gives every recipient the id of the user who has the address, a new one if nobody has it. Nobody has shown yet that
    /// the address of a new one is theirs.
    async fn find_or_create_users(
        &self,
        db: &impl ConnectionTrait,
        recipients: &mut [Recipient],
    ) -> Result<(), ApiError> {
        let emails = recipients.iter().map(|recipient| recipient.email.clone()).collect();
        let known: HashMap<String, UserId> = user_store::ids_by_email(db, emails).await?;
        let mut new = Vec::new();
        for recipient in recipients {
            match known.get(&recipient.email) {
                Some(user) => recipient.user = *user,
                None => {
                    recipient.is_new = true;
                    new.push(self.new_user(recipient));
                }
            }
        }
        Ok(user_store::insert_new(db, new).await?)
    }

    fn new_user(&self, recipient: &Recipient) -> users::Model {
        let name = name_from_address(&recipient.written);
        users::Model {
            email_verified: false,
            ..user_store::new(recipient.user, self.now, &recipient.email, &name)
        }
    }

    async fn write_invites(
        &self,
        db: &impl ConnectionTrait,
        title: &str,
        joining: &[Recipient],
        asked: &[Recipient],
    ) -> Result<(), ApiError> {
        if joining.is_empty() && asked.is_empty() {
            return Ok(());
        }
        let mails = joining.len() + asked.len();
        for sender in [
            Sender::Organization(self.organization),
            Sender::User(self.inviter.user_id),
        ] {
            daily_limit::count(db, sender, mails, self.mails_per_day, self.now).await?;
        }
        let inviter = user_store::find(db, self.inviter.user_id).await?;
        let inviter = inviter.ok_or_else(ApiError::unauthorized)?;
        let end = store::expiry(self.now);
        // Expired ones, and those of people who join in another way now.
        let people = joining.iter().chain(asked).map(|recipient| recipient.user);
        store::remove_asked(db, self.organization, people.collect()).await?;
        let members = joining.iter().map(|recipient| Model {
            user_id: Some(recipient.user),
            email: Some(recipient.email.clone()),
            ..self.row(recipient, end)
        });
        let invitees = asked.iter().map(|recipient| Model {
            invitee_id: Some(recipient.user),
            sso: self.sso,
            ..self.row(recipient, end)
        });
        store::insert(db, members.chain(invitees).collect()).await?;
        let all = joining.iter().map(|recipient| (false, recipient));
        let all = all.chain(asked.iter().map(|recipient| (true, recipient)));
        let mails = all.map(|(asks, recipient)| {
            let link = self.urls.invite(self.organization, recipient.invite);
            let letter = invitation_mail(asks, title, &inviter, &recipient.email, &link, end);
            let mail = Mail {
                recipient: recipient.email.clone(),
                subject: letter.subject,
                body: letter.body,
            };
            (recipient.mail_job, mail)
        });
        Ok(jobs::enqueue::<SendMail>(db, mails.collect(), self.now).await?)
    }

    fn row(&self, recipient: &Recipient, end: Timestamp) -> Model {
        Model {
            id: recipient.invite,
            organization_id: self.organization,
            role: recipient.role,
            node_id: None,
            user_id: None,
            invitee_id: None,
            sso: false,
            email: None,
            created_at: self.now,
            expires_at: end,
            created_by: self.inviter.user_id,
        }
    }
}
