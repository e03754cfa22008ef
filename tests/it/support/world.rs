//! Two organizations with people in every role, and somebody who belongs nowhere.

use std::{collections::HashMap, sync::Mutex};

use bindery::{
    app::App,
    areas::{
        identity::{tokens, users},
        organizations::{members, organizations},
    },
};
use chrono::TimeDelta;
use entity::{
    ids::{NodeId, OrganizationId, TeamId, TokenId, UserId},
    members::MemberRole,
};
use platform::db::ManualClock;
use serde_json::{Value, json};

use super::{client::Client, content, database::TestDatabase, places::make, service::Service};

/// The email domain of everybody in the first organization.
pub const DOMAIN: &str = "tidewater.example";

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
    pub organization: OrganizationId,
    pub team: TeamId,
    /// At the top level; what it holds inherits the roles of members.
    pub collection: NodeId,
    /// In the collection.
    pub space: NodeId,
    /// What one call makes, by its path parameter.
    pub made: HashMap<&'static str, String>,
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
    pub other_organization: OrganizationId,
    pub other_team: TeamId,
    pub other_collection: NodeId,
    pub other_space: NodeId,
    pub other_made: HashMap<&'static str, String>,
    /// The revision of the space that was written last, if one was since the beginning.
    pub newest_revision: Mutex<Option<String>>,
    /// An event of each organization.
    pub event: String,
    pub other_event: String,
}

impl World {
    pub async fn new(database: TestDatabase) -> Self {
        let service = Service::start(database).await;
        let app = &service.app;
        let admin = person(&service, "admin", DOMAIN).await;
        let organization = organizations::create(app, admin.id, "Tidewater Robotics")
            .await
            .unwrap()
            .id;
        let join = async |name: &str, role: Option<MemberRole>| {
            let person = person(&service, name, DOMAIN).await;
            members::add(app, organization, person.id, role).await.unwrap();
            person
        };
        let create = join("create", Some(MemberRole::Create)).await;
        let review = join("review", Some(MemberRole::Review)).await;
        let edit = join("edit", Some(MemberRole::Edit)).await;
        let comment = join("comment", Some(MemberRole::Comment)).await;
        let read = join("read", Some(MemberRole::Read)).await;
        let guest = join("guest", None).await;
        let team_owner = join("team-owner", Some(MemberRole::Read)).await;
        let team_member = join("team-member", Some(MemberRole::Read)).await;
        let stranger = person(&service, "stranger", "nowhere.example").await;
        let other_admin = person(&service, "other-admin", "elsewhere.example").await;
        let other_organization = organizations::create(app, other_admin.id, "Elsewhere")
            .await
            .unwrap()
            .id;
        let (team, other_team) = (
            new_team(&admin, organization, "Docs").await,
            new_team(&other_admin, other_organization, "Elsewhere").await,
        );
        let collection = new_collection(&admin, organization, "Products").await;
        let space = new_space(&admin, organization, collection, "Gripper G4").await;
        let other_collection = new_collection(&other_admin, other_organization, "Elsewhere").await;
        let other_space = new_space(&other_admin, other_organization, other_collection, "Elsewhere").await;
        let mut made = content::fill(app, &admin, space).await;
        made.extend(make(&admin, organization, space).await);
        let mut other_made = content::fill(app, &other_admin, other_space).await;
        other_made.extend(make(&other_admin, other_organization, other_space).await);
        let memberships = json!({
            team_owner.id.to_string(): { "role": "owner" },
            team_member.id.to_string(): { "role": "member" },
        });
        admin
            .client
            .call("updateMembersInOrganizationTeam")
            .path("organizationId", organization)
            .path("teamId", team)
            .json(json!({ "memberships": memberships }))
            .expect(204)
            .await;
        let event = newest_event(&admin, organization).await;
        let other_event = newest_event(&other_admin, other_organization).await;
        Self {
            event,
            other_event,
            organization,
            team,
            collection,
            space,
            made,
            admin,
            create,
            review,
            edit,
            comment,
            read,
            guest,
            team_owner,
            team_member,
            stranger,
            other_admin,
            other_organization,
            other_team,
            other_collection,
            other_space,
            other_made,
            newest_revision: Mutex::new(None),
            service,
        }
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

    /// The person with this role in the organization.
    pub fn with_role(&self, role: &str) -> &Person {
        match role {
            "admin" => &self.admin,
            "create" => &self.create,
            "review" => &self.review,
            "edit" => &self.edit,
            "comment" => &self.comment,
            "read" => &self.read,
            "guest" => &self.guest,
            other => panic!("nobody has the role {other}"),
        }
    }

    /// A new member of the organization.
    pub async fn member(&self, name: &str, role: Option<MemberRole>) -> Person {
        let person = person(&self.service, name, DOMAIN).await;
        members::add(self.app(), self.organization, person.id, role)
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
        let soon = app.clock.now().plus(TimeDelta::seconds(1));
        let expired = tokens::create(app, of.id, "expired", Some(soon)).await.unwrap();
        let revoked = tokens::create(app, of.id, "revoked", None).await.unwrap();
        tokens::revoke(app, of.id, revoked.row.id).await.unwrap();
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
        tokens::create(self.app(), person.id, "another", None)
            .await
            .unwrap()
            .row
            .id
    }
}

async fn person(service: &Service, name: &str, domain: &str) -> Person {
    let email = format!("{name}@{domain}");
    let user = users::create(&service.app, &email, name).await.unwrap();
    let token = tokens::create(&service.app, user.id, "test", None)
        .await
        .unwrap()
        .secret;
    Person {
        id: user.id,
        email,
        client: Client::new(&service.base).with_token(&token),
        token,
    }
}

async fn new_team(admin: &Person, organization: OrganizationId, title: &str) -> TeamId {
    let call = admin
        .client
        .call("createOrganizationTeam")
        .path("organizationId", organization);
    let team: Value = call.json(json!({ "title": title })).expect(201).await;
    team["id"].as_str().unwrap().parse().unwrap()
}

async fn new_collection(admin: &Person, organization: OrganizationId, title: &str) -> NodeId {
    let call = admin.client.call("createCollection").within(organization);
    let collection: Value = call.json(json!({ "title": title })).expect(201).await;
    collection["id"].as_str().unwrap().parse().unwrap()
}

async fn new_space(admin: &Person, organization: OrganizationId, parent: NodeId, title: &str) -> NodeId {
    let call = admin.client.call("createSpace").within(organization);
    let space: Value = call.json(json!({ "title": title, "parent": parent })).expect(201).await;
    space["id"].as_str().unwrap().parse().unwrap()
}

async fn newest_event(admin: &Person, organization: OrganizationId) -> String {
    let call = admin.client.call("listOrganizationAuditEvents").within(organization);
    let events: Value = call.query("limit", 1).expect(200).await;
    events["items"][0]["id"].as_str().unwrap().to_owned()
}
