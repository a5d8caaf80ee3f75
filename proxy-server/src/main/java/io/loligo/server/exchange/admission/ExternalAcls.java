package io.loligo.server.exchange.admission;

import io.loligo.core.acl.ExternalAcl;
import io.loligo.core.acl.ExternalAcl.Answer;
import io.loligo.server.exchange.admission.Verdict.WaitFor;
import io.loligo.server.exchange.request.ExternalAnswers;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.programs.ExternalAclType;
import io.loligo.server.exchange.settings.programs.ExternalAclTypes;
import io.loligo.server.exchange.settings.programs.ExternalForm;
import io.loligo.server.helper.Answers;
import io.loligo.server.helper.HelperReply;
import io.loligo.server.helper.HelperResult;
import io.loligo.server.record.HelperFacts;
import io.loligo.server.record.Stage;
import io.loligo.server.time.LogRateLimit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides ACLs by helpers. Confined to the event loop.
 *
 * <p>A rule is evaluated without asking. Where an answer is missing, the first such ACL is asked
 * about, and the rules are evaluated again: in the order of the lines, as in Squid.
 */
final class ExternalAcls implements ExternalAnswers {
  private static final Logger LOG = LoggerFactory.getLogger(ExternalAcls.class);

  private final LoopServices services;
  private final Map<String, Type> types = new HashMap<>();
  private final List<ExternalAcl> later;
  private final Verdict waitForHelper = new WaitFor(Stage.HELPER, new Asking());
  private final LogRateLimit complaints;

  private record Type(ExternalForm form, Answers answers) {}

  /** The ACLs of one loop. */
  ExternalAcls(LoopServices services, ExternalAclTypes configured) {
    this.services = services;
    later = configured.later();
    complaints = new LogRateLimit(services.clock::nanos);
    for (ExternalAclType type : configured.types()) {
      types.putIfAbsent(
          type.name(),
          new Type(type.form(), services.helpers.answers(type.terms(services.settings.config()))));
    }
  }

  /** Waits for the first ACL of {@code request} whose helper must be asked. */
  Verdict waitFor(Request request) {
    assert request.helperAnswers().unasked() != null : "an ACL is not decided";
    return waitForHelper;
  }

  /** The step {@code externals}: asks about ACLs of lists that cannot wait. */
  Verdict askLater(Request request) {
    for (ExternalAcl acl : later) {
      request.helperAnswers().forgetUnasked();
      if (request.external(acl) == Answer.NEEDS_HELPER) {
        return waitForHelper;
      }
    }
    return Verdict.PROCEED;
  }

  @Override
  public Answer known(Request request, ExternalAcl acl) {
    HelperReply told = request.helperAnswers().reply(acl);
    if (told != null) {
      return answer(told);
    }
    Type type = types.get(acl.type());
    if (type == null) {
      return Answer.UNDECIDED;
    }
    if (type.form.asksForUser()) {
      Answer user = user(request);
      if (user != null) {
        return user;
      }
    }
    HelperReply kept = type.answers.known(question(type, request, acl));
    if (kept == null) {
      return Answer.NEEDS_HELPER;
    }
    take(request, acl, kept);
    return answer(kept);
  }

  private static @Nullable Answer user(Request request) {
    return switch (request.login()) {
      case NO_LOGIN -> Answer.NO_MATCH;
      case UNCHECKED -> Answer.NEEDS_LOGIN;
      case CHALLENGE -> Answer.CHALLENGE;
      case KNOWN -> null;
    };
  }

  private static Answer answer(HelperReply reply) {
    return switch (reply.result()) {
      case OK -> Answer.MATCH;
      case ERR -> Answer.NO_MATCH;
      default -> Answer.UNDECIDED;
    };
  }

  private String question(Type type, Request request, ExternalAcl acl) {
    request.record().endMillis = services.clock.millis(); // for codes of time
    return type.form.question(acl, request, request.record());
  }

  /** Notes an answer; a kept one too, so that all lists see the same. */
  private void take(Request request, ExternalAcl acl, HelperReply reply) {
    request.helperAnswers().reply(acl, reply);
    HelperNotes.add(request, reply);
    HelperFacts told =
        new HelperFacts(
            reply.text("tag"),
            reply.text("log"),
            reply.text("user"),
            reply.text("password"),
            reply.text("message"));
    if (!told.equals(HelperFacts.NONE)) {
      request.record().helpers = request.helperAnswers().tell(told);
    }
    if (!reply.result().isAnswer() && complaints.permits()) {
      LOG.warn(
          "external_acl_type {}: no answer about acl {}: {} ({} such answers); the rule cannot be"
              + " decided; next: look at that helper and its messages",
          acl.type(),
          acl.name(),
          reply.result() == HelperResult.UNKNOWN ? "no result word" : reply.result(),
          complaints.count());
    }
  }

  /** Asks about the ACL that the rules have found undecided. */
  private final class Asking implements Verdict.Party {
    @Override
    public void ask(Request request, Consumer<Runnable> then) {
      ask(request, then, cancel -> {});
    }

    @Override
    public void ask(Request request, Consumer<Runnable> then, Consumer<Runnable> whenGone) {
      ExternalAcl acl = request.helperAnswers().unasked();
      Type type = acl == null ? null : types.get(acl.type());
      if (acl == null || type == null) {
        then.accept(() -> {});
        return;
      }
      whenGone.accept(
          type.answers.ask(
              question(type, request, acl),
              services.timer.loop(),
              reply -> then.accept(() -> take(request, acl, reply))));
    }
  }
}
