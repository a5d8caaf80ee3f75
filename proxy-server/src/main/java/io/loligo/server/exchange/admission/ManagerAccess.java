package io.loligo.server.exchange.admission;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Method;
import io.loligo.server.admin.SecretAttempts;
import io.loligo.server.exchange.admission.Verdict.AnswerHere;
import io.loligo.server.exchange.admission.Verdict.Denied;
import io.loligo.server.exchange.request.ManagerTarget;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.manager.BasicPassword;
import io.loligo.server.manager.ManagerPage;
import io.loligo.server.manager.ManagerPasswords;
import io.loligo.server.manager.ManagerSettings;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Shed;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a request that {@code http_access} allows gets a manager page. Confined to the
 * event loop.
 */
final class ManagerAccess {
  private final LoopServices services;
  private final SecretAttempts attempts;

  /** Under the configuration of {@code services}. */
  ManagerAccess(LoopServices services) {
    this.services = services;
    attempts = new SecretAttempts(services.clock::nanos);
  }

  /** The verdict on a request that {@link ManagerTarget#isFor} a page. */
  Verdict check(Request request) {
    ExchangeSettings settings = services.settings;
    if (!Method.isGetOrHead(request.head().methodId())) {
      return new Denied(Refusal.ofMethod("Manager pages are only read.", "GET, HEAD"));
    }
    if (!ManagerTarget.hasOwnHost(request, settings.cacheName())) {
      return denied("manager: Host is neither an address nor visible_hostname");
    }
    ManagerSettings manager = settings.manager;
    if (!manager.isRuled() && !isOfThisMachine(request)) {
      return denied("manager: no line of http_access names manager, so only localhost is allowed");
    }
    ManagerPage page = ManagerPage.named(ManagerTarget.page(request.target()));
    if (page == null) {
      return new Denied(Refusal.of(404, "ERR_INVALID_URL", "There is no such manager page."));
    }
    ManagerPasswords passwords = manager.passwords();
    return switch (passwords.of(page)) {
      case PUBLIC -> AnswerHere.MANAGER;
      case PROTECTED -> checked(request, page, passwords);
      case DISABLED -> unavailable(page, "cachemgr_passwd disables it");
      case HIDDEN -> unavailable(page, "it needs a cachemgr_passwd line with a password");
    };
  }

  private Verdict checked(Request request, ManagerPage page, ManagerPasswords passwords) {
    String given = password(request);
    if (given == null) {
      return challenge(page);
    }
    String client = NetUtil.bytesToIpAddress(request.clientAddress());
    if (!attempts.allowed(client)) {
      return new Denied(Refusal.overload(Shed.LOGIN_FAILURES));
    }
    if (passwords.opens(page, given)) {
      return AnswerHere.MANAGER;
    }
    attempts.failed(client);
    return challenge(page);
  }

  private static Verdict denied(String detail) {
    return new Denied(Refusal.denied(detail));
  }

  private static boolean isOfThisMachine(Request request) {
    try {
      return InetAddress.getByAddress(request.clientAddress()).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static @Nullable String password(Request request) {
    String inTarget = ManagerTarget.password(request);
    return inTarget != null ? inTarget : BasicPassword.of(request.head().fields());
  }

  private static Verdict challenge(ManagerPage page) {
    FieldLines lines =
        new FieldLines(64).add("WWW-Authenticate", "Basic realm=\"" + page.word() + '"');
    return new Denied(
        new Refusal(
            401,
            "ERR_CACHE_MGR_ACCESS_DENIED",
            "This manager page needs a password.",
            lines,
            LogTag.TCP_DENIED,
            "cachemgr_passwd: no password for " + page.word() + ", or a wrong one",
            null,
            false));
  }

  private static Verdict unavailable(ManagerPage page, String why) {
    return new Denied(
        Refusal.of(404, "ERR_INVALID_URL", "There is no such manager page.")
            .because("manager page " + page.word() + ": " + why));
  }
}
