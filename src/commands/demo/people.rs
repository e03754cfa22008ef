//! The people of the demo.

use std::sync::Arc;

use chrono::TimeDelta;
use entity::{
    ids::{TokenId, UserId},
    organizations::members::MemberRole,
};
use poem::{Response, endpoint::BoxEndpoint};

use crate::{
    app::App,
    areas::{
        identity::{tokens, users},
        organizations::members,
    },
    commands::api::Caller,
};

/// The time that the demo may take.
const TOKEN_LIFETIME: TimeDelta = TimeDelta::hours(1);

pub struct People {
    /// Reviews and merges.
    pub mira: Person,
    pub tomas: Person,
    pub yuki: Person,
}

/// A member, with a token while the demo is made.
pub struct Person {
    pub caller: Caller,
    pub id: UserId,
    token: TokenId,
}

impl People {
    pub async fn create(
        app: &App,
        service: &Arc<BoxEndpoint<'static, Response>>,
        organization: &str,
    ) -> anyhow::Result<Self> {
        let person = async |email: &str, name: &str, role| -> anyhow::Result<Person> {
            let user = users::create(&app.identity, email, name).await?;
            members::add(&app.kernel, organization.parse()?, user.id, Some(role)).await?;
            let expires = app.kernel.clock.now().plus(TOKEN_LIFETIME);
            let token = tokens::create(&app.kernel, user.id, "Demo", Some(expires)).await?;
            Ok(Person {
                caller: Caller::new(service, &token.secret),
                id: user.id,
                token: token.row.id,
            })
        };
        Ok(Self {
            mira: person("mira@kestrel.example", "Mira Lindqvist", MemberRole::Review).await?,
            tomas: person("tomas@kestrel.example", "Tomás Arce", MemberRole::Edit).await?,
            yuki: person("yuki@kestrel.example", "Yuki Ono", MemberRole::Edit).await?,
        })
    }

    /// Revokes the tokens, which nobody has seen.
    pub async fn forget_tokens(&self, app: &App) -> anyhow::Result<()> {
        for person in [&self.mira, &self.tomas, &self.yuki] {
            tokens::revoke(&app.identity, person.id, person.token).await?;
        }
        Ok(())
    }
}
