// A discussion about a page, from the first comment to its end.
import assert from "node:assert/strict";
import type { Client } from "openapi-fetch";
import type { paths } from "../generated/typescript/schema.js";

export async function discuss(api: Client<paths>, spaceId: string, page: string): Promise<void> {
  const posted = await api.POST("/v1/spaces/{spaceId}/comments", {
    params: { path: { spaceId } },
    body: { page, body: { markdown: "Is this torque right?" } },
  });
  assert(posted.data, JSON.stringify(posted.error));
  assert.equal(posted.data.target.page?.id, page);
  const path = { spaceId, commentId: posted.data.id };

  const reply = await api.POST("/v1/spaces/{spaceId}/comments/{commentId}/replies", {
    params: { path },
    body: { body: { markdown: "It is." } },
  });
  assert(reply.data, JSON.stringify(reply.error));
  const reacted = await api.PUT("/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}", {
    params: { path: { ...path, commentReplyId: reply.data.id } },
    body: { addedReactions: ["1f44d"] },
  });
  assert.deepEqual(
    reacted.data?.reactions.map(({ emoji, count }) => [emoji, count]),
    [["1f44d", 1]],
  );

  for (const [resolved, status] of [
    [true, "resolved"],
    [false, "open"],
  ] as const) {
    const changed = await api.PUT("/v1/spaces/{spaceId}/comments/{commentId}", {
      params: { path },
      body: { resolved },
    });
    assert.equal(changed.data?.status, status);
    assert.equal(changed.data.resolvedBy !== undefined, resolved);
  }

  const listed = await api.GET("/v1/spaces/{spaceId}/comments", {
    params: { path: { spaceId }, query: { targetPage: page, status: "open" } },
  });
  assert.deepEqual(
    listed.data?.items.map((comment) => [comment.id, comment.replies]),
    [[path.commentId, 1]],
  );
  const deleted = await api.DELETE("/v1/spaces/{spaceId}/comments/{commentId}", { params: { path } });
  assert.equal(deleted.response.status, 204);
  const gone = await api.GET("/v1/spaces/{spaceId}/comments/{commentId}", { params: { path } });
  assert.equal(gone.response.status, 404);
}
