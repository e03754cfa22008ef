// The session of people who have signed in.

/** The name of the security scheme in the contract. */
const SCHEME = "bearer";

/** Milliseconds before the token expires at which the page asks for it again. */
const RENEWED_BEFORE = 10 * 60 * 1000;

// People who have signed in send requests with a token of their session, unless they have entered another one.
let session = {};

const askForSession = async () => {
  try {
    const response = await fetch("../account/docs-token", { method: "POST", body: new URLSearchParams() });
    session = response.ok ? await response.json() : {};
  } catch {
    session = {};
  }
};

export const useSession = async () => {
  if (window.ui.authSelectors.authorized().has(SCHEME)) {
    return;
  }
  await askForSession();
  if (session.token) {
    window.ui.preauthorizeApiKey(SCHEME, session.token);
  }
  showSession();
};

// The token expires unless the page asks for it again.
export const renewSession = async (request) => {
  if (session.expiresAt - Date.now() < RENEWED_BEFORE) {
    await askForSession();
    if (!session.token) {
      window.ui.authActions.logout([SCHEME]);
    }
    showSession();
  }
  return request;
};

const showSession = () => {
  const account = document.createElement("a");
  account.href = "../account/";
  let parts = [];
  if (session.token) {
    account.textContent = "Account";
    parts = [`Signed in as ${session.email}. Requests are sent with a token of this session. `, account];
  } else if (session.canSignIn) {
    account.textContent = "Sign in";
    // The operation that is open then stands in the address.
    account.addEventListener("click", () => {
      account.search = new URLSearchParams({ returnTo: `/docs/${location.search}${location.hash}` });
    });
    parts = [account, " to try operations out without a token."];
  }
  document.getElementById("session").replaceChildren(...parts);
};
