package io.loligo.server.exchange.admission;

import io.loligo.core.acl.AclVerdict;
import io.loligo.server.exchange.admission.Verdict.WaitFor;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.programs.UrlProgram;
import io.loligo.server.helper.Helper;
import io.loligo.server.helper.HelperReply;
import io.loligo.server.record.Stage;
import io.loligo.server.time.LogRateLimit;
import io.loligo.server.upstream.own.OwnObjects;
import java.util.function.BiConsumer;
import org.slf4j.Logger;

/** Decides which requests a program is asked about. Confined to the event loop. */
final class AskedUrl {
  private final UrlProgram program;
  private final Helper helper;
  private final Verdict waitForNames;
  private final Verdict waitForHelper;
  private final LogRateLimit complaints;
  private final Logger log;

  /**
   * The program of one loop.
   *
   * @param waitForNames resolves the host, and makes its addresses the request's destinations
   * @param answer notes the program's answer at the request
   * @param log gets the complaints about answers
   */
  AskedUrl(
      LoopServices services,
      UrlProgram program,
      Verdict waitForNames,
      BiConsumer<Request, HelperReply> answer,
      Logger log) {
    this.program = program;
    this.waitForNames = waitForNames;
    this.log = log;
    helper = services.helpers.of(program.helper());
    UrlQuestion question = new UrlQuestion(services, helper, program.extras(), answer);
    waitForHelper = new WaitFor(Stage.HELPER, question);
    complaints = new LogRateLimit(services.clock::nanos);
  }

  /**
   * Waits for the answer about {@code request}, or proceeds without one.
   *
   * @param bypass whether it proceeds while the helper is overloaded
   */
  Verdict ask(Request request, boolean bypass) {
    if (request.host().equals(OwnObjects.HOST)) {
      return Verdict.PROCEED;
    }
    AclVerdict asks = program.access().evaluate(request);
    if (asks.kind() == AclVerdict.Kind.NEEDS_DESTINATION
        && request.destinationAddresses() == null) {
      return waitForNames;
    }
    boolean waits = asks.allowed() && !(bypass && helper.wouldOverload());
    return waits ? waitForHelper : Verdict.PROCEED;
  }

  /** Logs that the program {@code does} something wrong by {@code text}, at a limited rate. */
  void complain(String does, String text) {
    if (complaints.permits()) {
      String shown = text.length() > 200 ? text.substring(0, 200) : text;
      log.warn(
          "{} {}: {} ({} such answers)",
          program.helper().name(),
          does,
          shown.replaceAll("\\p{Cntrl}", "?"),
          complaints.count());
    }
  }
}
