//! The mail to an invited user.

use entity::{identity::users, timestamp::Timestamp};

/// The subject and the body of a mail.
pub struct InvitationMail {
    pub subject: String,
    pub body: String,
}

/// The mail to somebody who is a member now, or `asks` them whether they want to be.
pub fn invitation_mail(
    asks: bool,
    organization: &str,
    inviter: &users::Model,
    recipient: &str,
    link: &str,
    end: Timestamp,
) -> InvitationMail {
    let (organization, name) = (one_line(organization), one_line(&inviter.display_name));
    let what = if asks {
        format!(
            "invites you to {organization}. You are no member until you join: send a POST request\n\
             with your token to this address"
        )
    } else {
        format!("has made you a member of {organization}.\n\nThis is your invitation")
    };
    let end = end.to_utc().format("%-d %B %Y, %H:%M UTC");
    let body = format!(
        "Hello,\n\n\
         {name} ({inviter}) {what}:\n\n  {link}\n\n\
         It is for {recipient} alone and ends on {end}.\n",
        inviter = inviter.email,
    );
    InvitationMail {
        subject: format!("{name} invites you to {organization}"),
        body,
    }
}

/// People choose names and titles freely; in a mail each is one line.
fn one_line(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.collect::<String>().trim().to_owned()
}
