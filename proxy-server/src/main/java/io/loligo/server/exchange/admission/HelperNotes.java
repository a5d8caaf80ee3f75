package io.loligo.server.exchange.admission;

import io.loligo.core.acl.Notes;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.helper.HelperReply;

/** Notes of helpers at requests. Stateless. */
final class HelperNotes {
  private static final String CONNECTION_TAG = "clt_conn_tag";

  private HelperNotes() {}

  /** Makes the pairs of {@code reply} notes of {@code request}, in place of those so named. */
  static void add(Request request, HelperReply reply) {
    if (!reply.pairs().isEmpty()) {
      request.notes(request.notes().replacing(reply.notes()));
      tagConnection(request, reply);
    }
  }

  /** A note of all later requests of the connection. */
  private static void tagConnection(Request request, HelperReply reply) {
    String tag = reply.first(CONNECTION_TAG);
    Notes held = tag == null ? null : request.clientNotes();
    if (tag != null && held != null) {
      request.clientNotes(held.replacing(CONNECTION_TAG, tag));
    }
  }
}
