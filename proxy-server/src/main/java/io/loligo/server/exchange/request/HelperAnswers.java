package io.loligo.server.exchange.request;

import io.loligo.core.acl.ExternalAcl;
import io.loligo.server.helper.HelperReply;
import io.loligo.server.record.HelperFacts;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answers of helpers about one request: of ACLs, of the rewriter and of the program for store
 * ids. Confined to the event loop of the request.
 */
public final class HelperAnswers {
  /** Knows answers to ACLs; null: no ACL has a helper. */
  private @Nullable ExternalAnswers externals;

  private Map<ExternalAcl, HelperReply> replies = Map.of();
  private @Nullable ExternalAcl unasked;
  private HelperFacts facts = HelperFacts.NONE;
  private @Nullable HelperReply rewriter;
  private boolean rewriterObeyed;
  private @Nullable HelperReply storeId;

  /** No answers. */
  HelperAnswers() {}

  /** Forgets everything: the next request begins. */
  void clear() {
    externals = null;
    replies = Map.of();
    unasked = null;
    facts = HelperFacts.NONE;
    rewriter = null;
    rewriterObeyed = false;
    storeId = null;
  }

  /** The same answers. Later ones do not reach the copy. */
  HelperAnswers copy() {
    HelperAnswers copy = new HelperAnswers();
    copy.externals = externals;
    copy.replies = replies;
    copy.unasked = unasked;
    copy.facts = facts;
    copy.rewriter = rewriter;
    copy.rewriterObeyed = rewriterObeyed;
    copy.storeId = storeId;
    return copy;
  }

  /** ACLs of helpers are decided by {@code known}. */
  public void externals(ExternalAnswers known) {
    externals = known;
  }

  /** What is known of the answer about {@code request}, to which this object belongs. */
  ExternalAcl.Answer external(Request request, ExternalAcl acl) {
    if (externals == null) {
      return ExternalAcl.Answer.UNDECIDED;
    }
    ExternalAcl.Answer answer = externals.known(request, acl);
    if (answer == ExternalAcl.Answer.NEEDS_HELPER && unasked == null) {
      unasked = acl;
    }
    return answer;
  }

  /** The answer of a helper about this request; null: it was not asked. */
  public @Nullable HelperReply reply(ExternalAcl acl) {
    return replies.get(acl);
  }

  /** Adds an answer of a helper about this request. */
  public void reply(ExternalAcl acl, HelperReply reply) {
    Map<ExternalAcl, HelperReply> more = new HashMap<>(replies);
    more.put(acl, reply);
    replies = more;
  }

  /** The first ACL since {@link #forgetUnasked} whose helper must be asked, or null. */
  public @Nullable ExternalAcl unasked() {
    return unasked;
  }

  /** Before the rules are evaluated. */
  public void forgetUnasked() {
    unasked = null;
  }

  /** What helpers of ACLs have told about the request, beside its notes. */
  HelperFacts facts() {
    return facts;
  }

  /** Adds {@code next}. Returns all facts. */
  public HelperFacts tell(HelperFacts next) {
    facts = facts.and(next);
    return facts;
  }

  /** The answer of the rewriter; null: it was not asked, or has not answered. */
  public @Nullable HelperReply rewriter() {
    return rewriter;
  }

  /** Sets {@link #rewriter()}. */
  public void rewriter(HelperReply reply) {
    rewriter = reply;
  }

  /** Whether the answer of the rewriter has had its effect. */
  public boolean rewriterObeyed() {
    return rewriterObeyed;
  }

  /** Sets {@link #rewriterObeyed()}. */
  public void setRewriterObeyed() {
    rewriterObeyed = true;
  }

  /** The answer of the program for store ids; null: it was not asked, or has not answered. */
  public @Nullable HelperReply storeId() {
    return storeId;
  }

  /** Sets {@link #storeId()}. */
  public void storeId(HelperReply reply) {
    storeId = reply;
  }
}
