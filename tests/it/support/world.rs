//! Two organizations with people in every role, and somebody who belongs nowhere.

use std::{collections::HashMap, fs, ops::Deref, path::Path, sync::Mutex};

use bindery::{
    access::integration_tokens::TokenSubject,
    app::App,
    areas::{
        identity::{tokens, users},
        organizations::{members, organizations},
    },
};
use chrono::TimeDelta;
use entity::{
    ids::{NodeId, OrganizationId, TeamId, TokenId, UserId},
    organizations::members::MemberRole,
};
use platform::{config::Flags, db::ManualClock};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    client::Client,
    database::TestDatabase,
    service::{START, Service},
    templates::Template,
};

mod setup;

/// The email domain of everybody in the first organization.
pub const DOMAIN: &str = "tidewater.example";

/// In the folder of the template: the ids and tokens, and the files of the service.
const IDS: &str = "world.json";
const FILES: &str = "data";

/// A person with a token.
#[derive(Clone)]
pub struct Person {
    pub id: UserId,
    pub email: String,
    pub token: String,
    pub client: Client,
}

pub struct World {
    pub service: Service,
    ids: Ids,
    pub admin: Person,
    pub create: Person,
    pub review: Person,
    pub edit: Person,
    pub comment: Person,
    pub read: Person,
    pub guest: Person,
    /// Role `read`; owner of the team.
    pub team_owner: Person,
    /// Role `read`; member of the team.
    pub team_member: Person,
    /// Belongs to no organization.
    pub stranger: Person,
    /// The admin of another organization, who has a team there.
    pub other_admin: Person,
    /// The integration of the organization, with a token of its own for the first hour.
    pub integration: Client,
    /// The revision of the space that was written last, if one was since the beginning.
    pub newest_revision: Mutex<Option<String>>,
}

/// The objects that are there at the beginning; a world has them as fields of its own.
#[derive(Serialize, Deserialize)]
pub struct Ids {
    pub organization: OrganizationId,
    pub team: TeamId,
    /// At the top level; what it holds inherits the roles of members.
    pub collection: NodeId,
    /// In the collection.
    pub space: NodeId,
    /// What one call makes, by its path parameter.
    pub made: HashMap<String, String>,
    pub other_organization: OrganizationId,
    pub other_team: TeamId,
    pub other_collection: NodeId,
    pub other_space: NodeId,
    pub other_made: HashMap<String, String>,
    /// An event of each organization.
    pub event: String,
    pub other_event: String,
    /// An event of the admin of each, which belongs to no organization.
    pub user_event: String,
    pub other_user_event: String,
    people: HashMap<String, Identity>,
}

#[derive(Serialize, Deserialize)]
struct Identity {
    id: UserId,
    email: String,
    token: String,
}

impl Deref for World {
    type Target = Ids;

    fn deref(&self) -> &Ids {
        &self.ids
    }
}

impl World {
    /// A copy of the world that the first test of a build sets up.
    pub async fn new(database: TestDatabase) -> Self {
        Self::with(database, |_| {}).await
    }

    /// With settings other than those of tests.
    pub async fn with(database: TestDatabase, adjust: impl FnOnce(&mut Flags)) -> Self {
        let template = Template::of("world", database.backend(), setup::fill).await;
        database.copy(&template).await;
        let files = tempfile::tempdir().unwrap();
        copy_files(&template.folder().join(FILES), files.path());
        let service = Service::start_in_temporary(files, database, START, adjust).await;
        let ids = serde_json::from_slice(&fs::read(template.folder().join(IDS)).unwrap()).unwrap();
        Self::of(service, ids).await
    }

    /// The same people and objects at another service.
    pub async fn at(self, service: Service) -> Self {
        Self::of(service, self.ids).await
    }

    async fn of(service: Service, ids: Ids) -> Self {
        let nobody = Client::new(&service.base);
        let person = |name: &str| {
            let identity = &ids.people[name];
            Person {
                id: identity.id,
                email: identity.email.clone(),
                token: identity.token.clone(),
                client: nobody.with_token(&identity.token).named(name),
            }
        };
        let mut world = Self {
            admin: person("admin"),
            create: person("create"),
            review: person("review"),
            edit: person("edit"),
            comment: person("comment"),
            read: person("read"),
            guest: person("guest"),
            team_owner: person("team-owner"),
            team_member: person("team-member"),
            stranger: person("stranger"),
            other_admin: person("other-admin"),
            integration: nobody.clone(),
            newest_revision: Mutex::new(None),
            ids,
            service,
        };
        let integration = world.integration(&world.own("integrationName")).await.id;
        let (subject, now) = (TokenSubject::Integration(integration), world.app().kernel.clock.now());
        let token = world.app().access.integration_tokens.sign(subject, now);
        world.integration = nobody.with_token(&token).named("integration");
        world
    }

    pub fn app(&self) -> &App {
        &self.service.app
    }

    pub fn clock(&self) -> &ManualClock {
        &self.service.clock
    }

    pub fn nobody(&self) -> Client {
        Client::new(&self.service.base)
    }

    /// The person with this name: the role in the organization, or another.
    pub fn person(&self, name: &str) -> &Person {
        match name {
            "admin" => &self.admin,
            "create" => &self.create,
            "review" => &self.review,
            "edit" => &self.edit,
            "comment" => &self.comment,
            "read" => &self.read,
            "guest" => &self.guest,
            "team-member" => &self.team_member,
            "stranger" => &self.stranger,
            "other-admin" => &self.other_admin,
            other => panic!("nobody is named {other}"),
        }
    }

    /// Marks an email domain of the organization as proven.
    pub async fn verify_domain(&self, domain: &str) {
        organizations::verify_domain(&self.app().kernel, self.organization, domain)
            .await
            .unwrap();
    }

    /// A new member of the organization.
    pub async fn member(&self, name: &str, role: Option<MemberRole>) -> Person {
        let person = person(&self.service, name, DOMAIN).await;
        members::add(&self.app().kernel, self.organization, person.id, role)
            .await
            .unwrap();
        person
    }

    /// Gives people or teams the level `read` on the space and on the collection.
    pub async fn share(&self, mut with: Value) {
        with["role"] = json!("read");
        let space = self.admin.client.call("inviteToSpace").path("spaceId", self.space);
        space.json(with.clone()).expect(204).await;
        let collection = self.admin.client.call("inviteToCollection");
        let collection = collection.path("collectionId", self.collection);
        collection.json(with).expect(204).await;
    }

    /// A token of a person that was good and is not any more, one for each reason.
    pub async fn dead_tokens(&self, of: &Person) -> Vec<(&'static str, Client)> {
        let app = self.app();
        let soon = app.kernel.clock.now().plus(TimeDelta::seconds(1));
        let expired = tokens::create(&app.kernel, of.id, "expired", Some(soon)).await.unwrap();
        let revoked = tokens::create(&app.kernel, of.id, "revoked", None).await.unwrap();
        tokens::revoke(&app.identity, of.id, revoked.row.id).await.unwrap();
        self.clock().advance(TimeDelta::seconds(2));
        let nobody = self.nobody();
        vec![
            ("expired", nobody.with_token(&expired.secret)),
            ("revoked", nobody.with_token(&revoked.secret)),
            (
                "unknown",
                nobody.with_token("bnd_0123456789012345678901234567890123456789012"),
            ),
        ]
    }

    pub async fn token_of(&self, person: &Person) -> TokenId {
        tokens::create(&self.app().kernel, person.id, "another", None)
            .await
            .unwrap()
            .row
            .id
    }
}

async fn person(service: &Service, name: &str, domain: &str) -> Person {
    let email = format!("{name}@{domain}");
    let user = users::create(&service.app.identity, &email, name).await.unwrap();
    let token = tokens::create(&service.app.kernel, user.id, "test", None)
        .await
        .unwrap()
        .secret;
    Person {
        id: user.id,
        email,
        client: Client::new(&service.base).with_token(&token).named(name),
        token,
    }
}

fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_files(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}
