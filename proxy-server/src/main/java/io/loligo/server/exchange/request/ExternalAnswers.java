package io.loligo.server.exchange.request;

import io.loligo.core.acl.ExternalAcl;

/** Knows the answers of helpers to ACLs. Confined to the event loop of the request. */
public interface ExternalAnswers {
  /** What is known of the answer about {@code request}, without asking the helper. */
  ExternalAcl.Answer known(Request request, ExternalAcl acl);
}
