//! Joining an organization on the page of an account.

use entity::{
    identity::users,
    ids::{Id, InviteId, OrganizationId},
};
use openapi::error::ApiError;
use poem::{Response, http::StatusCode};

use super::{
    Form, SignIn,
    account::row_button,
    html::{Field, Page},
    see_other, value,
};

use crate::{
    access::verified_domain,
    areas::{
        library::invitations::join,
        organizations::{members, organizations::domain_store, sign_in::sessions},
    },
    kernel::audit::SystemAction,
};

const LINK: Field<'static> = Field {
    label: "Invite link",
    name: "link",
    attributes: "required maxlength=\"1000\" autocomplete=\"off\"",
};

impl SignIn {
    /// The part of the page on which a person joins organizations, given those they are in.
    pub(super) async fn joining(
        &self,
        page: &mut Page,
        user: &users::Model,
        token: &str,
        member_of: &[OrganizationId],
    ) -> Result<(), ApiError> {
        page.heading("Join an organization");
        let open = match verified_domain(&user.email, user.email_verified) {
            Some(domain) => domain_store::allowing(self.app.kernel.db.read(), domain).await?,
            None => Vec::new(),
        };
        let removed = members::removed::of_user(self.app.kernel.db.read(), user.id).await?;
        let is_open = |id: &OrganizationId| !member_of.contains(id) && !removed.contains(id);
        let open = open.into_iter().filter(|row| is_open(&row.id));
        let named: Vec<(String, String)> = open
            .take(sessions::MAX_LISTED)
            .map(|row| (row.id.to_string(), row.title))
            .collect();
        if !named.is_empty() {
            page.paragraph("The domain of your email address lets you join:");
            let to = self.url("/account/join-by-domain");
            let rows = named
                .iter()
                .map(|(id, title)| (vec![title.clone()], Some(row_button(&to, token, id, title, "Join"))));
            page.table(&["Title", "Action"], rows.collect(), "");
        }
        page.form(&self.url("/account/join"), &[("token", token)], &[LINK], "Join by link");
        Ok(())
    }

    pub(super) async fn join(&self, page: &str, user: &users::Model, form: &Form) -> Result<Response, ApiError> {
        let by = SystemAction::JoinOnAccountPage;
        let joined = if page == "join" {
            let (organization, invite) = parse_link(value(form, LINK.name).unwrap_or_default());
            join::by_link(&self.app.kernel, by, user.id, organization, invite).await
        } else {
            let organization = OrganizationId::parse_or_nil(value(form, "id").unwrap_or_default());
            let domain = verified_domain(&user.email, user.email_verified).map(str::to_owned);
            join::by_domain(&self.app.kernel, by, user.id, domain, organization).await
        };
        match joined {
            Ok(()) => see_other(&self.url(super::ACCOUNT)),
            Err(error) if error.status().is_client_error() => Ok(self.message(
                StatusCode::BAD_REQUEST,
                "The invite link is unknown, has expired, or is for somebody else; or the organization does not let you in.",
            )),
            Err(error) => Err(error),
        }
    }
}

/// The organization and the invitation of a link, wherever it begins; what cannot be parsed matches nothing.
fn parse_link(link: &str) -> (OrganizationId, InviteId) {
    let after = |name: &str| {
        let mut parts = link.trim().split('/').skip_while(|part| *part != name).skip(1);
        parts.next().unwrap_or_default()
    };
    (
        OrganizationId::parse_or_nil(after("orgs")),
        InviteId::parse_or_nil(after("invites")),
    )
}
