package io.loligo.server.exchange.admission;

import io.loligo.core.acl.AclVerdict;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.message.Method;
import io.loligo.core.message.StoreId;
import io.loligo.server.exchange.admission.Verdict.Denied;
import io.loligo.server.exchange.admission.Verdict.WaitFor;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.StoreIdSettings;
import io.loligo.server.helper.Helper;
import io.loligo.server.helper.HelperReply;
import io.loligo.server.helper.HelperResult;
import io.loligo.server.record.Stage;
import io.loligo.server.time.LogRateLimit;
import io.loligo.server.upstream.own.OwnObjects;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks {@code store_id_program} about requests. Confined to the event loop. */
final class StoreIds {
  private static final Logger LOG = LoggerFactory.getLogger(StoreIds.class);

  private final StoreIdSettings settings;
  private final Helper helper;
  private final Verdict waitForNames;
  private final Verdict waitForHelper;
  private final LogRateLimit complaints;

  /**
   * The step of one loop.
   *
   * @param settings names the program
   * @param waitForNames resolves the host, and makes its addresses the request's destinations
   */
  StoreIds(LoopServices services, StoreIdSettings settings, Verdict waitForNames) {
    this.settings = settings;
    this.waitForNames = waitForNames;
    helper = services.helpers.of(settings.program);
    waitForHelper =
        new WaitFor(
            Stage.HELPER,
            new UrlQuestion(
                services,
                helper,
                settings.extras,
                (request, reply) -> request.helperAnswers().storeId(reply)));
    complaints = new LogRateLimit(services.clock::nanos);
  }

  /** The step {@code storeId}. */
  Verdict check(Request request) {
    HelperReply reply = request.helperAnswers().storeId();
    if (reply != null) {
      return told(request, reply);
    }
    if (request.host().equals(OwnObjects.HOST)) {
      return Verdict.PROCEED;
    }
    AclVerdict asks = settings.access.evaluate(request);
    if (asks.kind() == AclVerdict.Kind.NEEDS_DESTINATION
        && request.destinationAddresses() == null) {
      return waitForNames;
    }
    boolean waits = !settings.bypass || isPurge(request) || !helper.wouldOverload();
    return asks.allowed() && waits ? waitForHelper : Verdict.PROCEED;
  }

  private static boolean isPurge(Request request) {
    return request.head().methodId() == Method.PURGE;
  }

  private Verdict told(Request request, HelperReply reply) {
    HelperNotes.add(request, reply);
    HelperResult result = reply.result();
    String id = reply.first("store-id");
    if (result == HelperResult.OK && id != null) {
      StoreId name = CacheKeys.storeId(id);
      if (name == null) {
        complain("writes what is no store id", id);
      } else {
        request.storedAs(name);
      }
      return Verdict.PROCEED;
    }
    if (result == HelperResult.OK || result == HelperResult.ERR) {
      return Verdict.PROCEED;
    }
    String how = result.name().toLowerCase(Locale.ROOT);
    complain("gives no answer", result.isFailure() ? how : reply.toString());
    return isPurge(request) ? new Denied(failure(how)) : Verdict.PROCEED;
  }

  /** The stored response may be under an id that nobody knows. */
  private static Refusal failure(String how) {
    String detail = "store_id_program: " + how;
    String text = "Nothing was purged: the name of the stored response is not known.";
    return new Refusal(500, "ERR_GATEWAY_FAILURE", text, null, null, detail, null, false);
  }

  private void complain(String what, String text) {
    if (complaints.permits()) {
      String shown = text.length() > 200 ? text.substring(0, 200) : text;
      LOG.warn(
          "store_id_program {}: {} ({} such answers)",
          what,
          shown.replaceAll("\\p{Cntrl}", "?"),
          complaints.count());
    }
  }
}
