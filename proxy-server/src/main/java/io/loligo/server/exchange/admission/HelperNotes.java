package io.loligo.server.exchange.admission;

import io.loligo.core.acl.Notes;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.helper.HelperPair;
import io.loligo.server.helper.HelperReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Notes of helpers at requests. Stateless. */
final class HelperNotes {
  /** Keys of credentials, which no log may show. */
  private static final Set<String> SECRET = Set.of("password", "token", "ha1");

  private HelperNotes() {}

  /** Makes the pairs of {@code reply} notes of {@code request}, in place of those so named. */
  static void add(Request request, HelperReply reply) {
    if (reply.pairs().isEmpty()) {
      return;
    }
    List<Notes.Note> notes = new ArrayList<>();
    for (HelperPair pair : reply.pairs()) {
      if (!SECRET.contains(pair.key())) {
        notes.add(new Notes.Note(pair.key(), pair.value()));
      }
    }
    request.notes(request.notes().replacing(notes));
  }
}
