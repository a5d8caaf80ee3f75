package io.loligo.server.admin;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What the admin port answers to GET and HEAD of one path. */
@FunctionalInterface
public interface AdminPage {
  /**
   * Answers a request. On the event loop of the admin port: it must not block.
   *
   * @param parameters those of the query, decoded, in their order
   * @return completes on any thread
   */
  CompletableFuture<AdminReply> answer(Map<String, List<String>> parameters);
}
