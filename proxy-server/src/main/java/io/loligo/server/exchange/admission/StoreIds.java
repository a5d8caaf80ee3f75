package io.loligo.server.exchange.admission;

import io.loligo.core.caching.CacheKeys;
import io.loligo.core.message.Method;
import io.loligo.core.message.StoreId;
import io.loligo.server.exchange.admission.Verdict.Denied;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.programs.StoreIdSettings;
import io.loligo.server.helper.HelperReply;
import io.loligo.server.helper.HelperResult;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks {@code store_id_program} about requests. Confined to the event loop. */
final class StoreIds {
  private static final Logger LOG = LoggerFactory.getLogger(StoreIds.class);

  private final StoreIdSettings settings;
  private final AskedUrl url;

  /**
   * The step of one loop.
   *
   * @param settings names the program
   * @param waitForNames resolves the host, and makes its addresses the request's destinations
   */
  StoreIds(LoopServices services, StoreIdSettings settings, Verdict waitForNames) {
    this.settings = settings;
    url =
        new AskedUrl(
            services,
            settings.program,
            waitForNames,
            (request, reply) -> request.helperAnswers().storeId(reply),
            LOG);
  }

  /** The step {@code storeId}. */
  Verdict check(Request request) {
    HelperReply reply = request.helperAnswers().storeId();
    if (reply != null) {
      return told(request, reply);
    }
    return url.ask(request, settings.program.bypass() && !isPurge(request));
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
        url.complain("writes what is no store id", id);
      } else {
        request.storedAs(name);
      }
      return Verdict.PROCEED;
    }
    if (result == HelperResult.OK || result == HelperResult.ERR) {
      return Verdict.PROCEED;
    }
    String how = result.name().toLowerCase(Locale.ROOT);
    url.complain("gives no answer", result.isFailure() ? how : reply.toString());
    return isPurge(request) ? new Denied(failure(how)) : Verdict.PROCEED;
  }

  /** The stored response may be under an id that nobody knows. */
  private static Refusal failure(String how) {
    String detail = "store_id_program: " + how;
    String text = "Nothing was purged: the name of the stored response is not known.";
    return new Refusal(500, "ERR_GATEWAY_FAILURE", text, null, null, detail, null, false);
  }
}
