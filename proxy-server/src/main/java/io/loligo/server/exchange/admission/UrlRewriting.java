package io.loligo.server.exchange.admission;

import io.loligo.core.message.Authority;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.exchange.admission.Verdict.Denied;
import io.loligo.server.exchange.request.HelperAnswers;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.programs.RewriteSettings;
import io.loligo.server.exchange.settings.programs.RewriteTimeout.Action;
import io.loligo.server.helper.HelperReply;
import io.loligo.server.helper.HelperResult;
import io.loligo.server.record.RewrittenRequest;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks {@code url_rewrite_program} about requests. Confined to the event loop. */
final class UrlRewriting {
  private static final Logger LOG = LoggerFactory.getLogger(UrlRewriting.class);
  private static final Set<Integer> REDIRECTIONS = Set.of(301, 302, 303, 307, 308);

  private final LoopServices services;
  private final RewriteSettings settings;
  private final Verdict waitForNames;
  private final AskedUrl url;

  /**
   * The step of one loop.
   *
   * @param settings names the program
   * @param waitForNames resolves the host, and makes its addresses the request's destinations
   */
  UrlRewriting(LoopServices services, RewriteSettings settings, Verdict waitForNames) {
    this.services = services;
    this.settings = settings;
    this.waitForNames = waitForNames;
    url =
        new AskedUrl(
            services,
            settings.program,
            waitForNames,
            (request, reply) -> request.helperAnswers().rewriter(reply),
            LOG);
  }

  /** The step {@code rewrite}. */
  Verdict check(Request request) {
    HelperReply reply = request.helperAnswers().rewriter();
    if (reply != null) {
      return applied(request, reply);
    }
    return url.ask(request, settings.program.bypass());
  }

  private Verdict applied(Request request, HelperReply reply) {
    HelperAnswers answers = request.helperAnswers();
    if (!answers.rewriterObeyed()) {
      answers.setRewriterObeyed();
      HelperNotes.add(request, reply);
      Verdict ended = act(request, reply, /* configured= */ false);
      if (ended != Verdict.PROCEED) {
        return ended;
      }
    }
    return wait(request);
  }

  /** Rules that apply later may ask about the addresses of the new host. */
  private Verdict wait(Request request) {
    return request.isSentElsewhere()
            && request.destinationAddresses() == null
            && services.destinations.laterRulesNeedDestination(request)
        ? waitForNames
        : Verdict.PROCEED;
  }

  private Verdict act(Request request, HelperReply reply, boolean configured) {
    HelperResult result = reply.result();
    if (result == HelperResult.TIMED_OUT && settings.timeout.action() == Action.BYPASS) {
      return Verdict.PROCEED;
    }
    HelperReply instead = settings.timeout.reply();
    if (result == HelperResult.TIMED_OUT && instead != null && !configured) {
      return act(request, instead, /* configured= */ true);
    }
    if (result.isFailure()) {
      return settings.program.bypass() ? Verdict.PROCEED : new Denied(failure(result));
    }
    return switch (result) {
      case OK ->
          told(request, reply.first("url"), reply.first("status"), reply.first("rewrite-url"));
      case UNKNOWN -> old(request, reply);
      case ERR -> Verdict.PROCEED;
      default -> {
        url.complain("says that it is broken", String.valueOf(reply.first("message")));
        yield Verdict.PROCEED;
      }
    };
  }

  private static Refusal failure(HelperResult result) {
    String detail = "url_rewrite_program: " + result.name().toLowerCase(Locale.ROOT);
    String text = "The request could not be checked.";
    return new Refusal(500, "ERR_GATEWAY_FAILURE", text, null, null, detail, null, false);
  }

  /** The first word of a line without a result: {@code URL} or {@code 30N:URL}. */
  private Verdict old(Request request, HelperReply reply) {
    String word = reply.rest();
    word = word.indexOf(' ') < 0 ? word : word.substring(0, word.indexOf(' '));
    if (word.startsWith("!") && word.indexOf('!', 1) > 0) {
      word = word.substring(word.indexOf('!', 1) + 1); // a group of URLs, of Squid 2
    }
    if (word.isEmpty()) {
      url.complain("writes what is no answer", reply.toString());
      return Verdict.PROCEED;
    }
    int colon = word.indexOf(':');
    if (colon == 3 && REDIRECTIONS.contains(status(word.substring(0, colon)))) {
      return told(request, word.substring(colon + 1), word.substring(0, colon), null);
    }
    return told(request, null, null, word);
  }

  private Verdict told(
      Request request,
      @Nullable String location,
      @Nullable String status,
      @Nullable String newUrl) {
    if (location != null) {
      int code = status == null ? 302 : status(status);
      if (REDIRECTIONS.contains(code) && !location.isEmpty()) {
        return new Denied(Refusal.redirect(code, visible(location)));
      }
      url.complain("redirects with a status that is none", status + " " + location);
    } else if (newUrl != null && !newUrl.equals(request.url())) {
      RewrittenRequest other = rewritten(request, newUrl);
      if (other == null) {
        url.complain("writes what is no URL", newUrl);
      } else {
        request.rewrite(other);
      }
    }
    return Verdict.PROCEED;
  }

  private @Nullable RewrittenRequest rewritten(Request request, String newUrl) {
    for (int i = 0; i < newUrl.length(); i++) {
      if (newUrl.charAt(i) <= ' ' || newUrl.charAt(i) == 0x7f) {
        return null;
      }
    }
    boolean connect = request.head().methodId() == Method.CONNECT;
    if (!connect && (newUrl.startsWith("/") || newUrl.equals("*"))) {
      return null;
    }
    RequestHead head = request.head().snapshotFor(newUrl);
    RequestTarget target = new RequestTarget();
    if (target.resolve(head, "http", null, /* hostChooses= */ true) != null
        || (!connect && Authority.defaultPort(target.scheme()) <= 0)) {
      return null;
    }
    boolean elsewhere = !target.host().equals(request.host()) || target.port() != request.port();
    String hostField = settings.rewritesHost ? null : request.requestFields().get(FieldName.HOST);
    return new RewrittenRequest(head, target, hostField, elsewhere);
  }

  private static int status(String text) {
    return text.matches("[0-9]{3}") ? Integer.parseInt(text) : 0;
  }

  /** With bytes that a field value must not have, and blanks, percent-encoded. */
  private static String visible(String url) {
    StringBuilder visible = new StringBuilder(url.length());
    for (int i = 0; i < url.length(); i++) {
      char c = url.charAt(i);
      if (c > ' ' && c < 0x7f) {
        visible.append(c);
      } else {
        visible.append(String.format("%%%02X", (int) c));
      }
    }
    return visible.toString();
  }
}
