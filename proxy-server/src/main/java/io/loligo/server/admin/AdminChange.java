package io.loligo.server.admin;

import java.util.List;
import java.util.Map;

/** What the admin port answers to POST and DELETE of one path, which need the secret. */
@FunctionalInterface
public interface AdminChange {
  /**
   * Makes the change. On the event loop of the admin port: it must not block.
   *
   * @param deletes whether the method is DELETE; else it is POST
   * @param parameters those of the query, decoded, in their order
   * @param client its address, for the audit log
   */
  AdminReply make(boolean deletes, Map<String, List<String>> parameters, String client);
}
