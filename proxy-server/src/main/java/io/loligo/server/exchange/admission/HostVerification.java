package io.loligo.server.exchange.admission;

import io.loligo.core.message.Method;
import io.loligo.core.message.RequestTarget.Form;
import io.loligo.server.exchange.admission.Verdict.Denied;
import io.loligo.server.exchange.request.AddressBytes;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.InterceptionSettings;
import io.loligo.server.port.Destination;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Compares the host of an intercepted request with the address that its client connected to.
 * Confined to the event loop.
 *
 * <p>A client chooses both. If the proxy believed Host, a script in a browser could read, under the
 * origin that its own server claims, what any server answers to the proxy; and a client could store
 * its own server's answer under the URL of another (CVE-2009-0801). So the store and the parents,
 * which go by the URL, serve only a request whose host leads to that address.
 */
final class HostVerification {
  private final LoopServices services;
  private final InterceptionSettings settings;
  private final Verdict waitForNames;
  private final Function<Request, Verdict> access;

  /**
   * The verification of one loop.
   *
   * @param waitForNames resolves the host, and makes its addresses the request's destinations
   * @param access the step {@code access}
   */
  HostVerification(LoopServices services, Verdict waitForNames, Function<Request, Verdict> access) {
    this.access = access;
    this.services = services;
    this.settings = services.settings.interception;
    this.waitForNames = waitForNames;
  }

  /** The step {@code destination}. */
  Verdict check(Request request) {
    if (settings.strict && contradictsHost(request)) {
      return refused(request, conflict("Host and the request's target name different servers."));
    }
    Destination destination = request.destination();
    InetSocketAddress original = destination == null ? null : destination.original();
    if (original == null) {
      return Verdict.PROCEED;
    }
    if (request.head().methodId() == Method.CONNECT) {
      request.pin(original, /* conflict= */ false);
      return Verdict.PROCEED;
    }
    String own = services.destinations.ownPort(original.getAddress(), original.getPort());
    if (own != null) {
      return refused(request, Refusal.denied(own));
    }
    if (request.destinationAddresses() == null) {
      List<InetAddress> known = services.upstream.resolved(request.host());
      if (known == null) {
        // a client that the rules deny anyway causes no question
        Verdict denied = access.apply(request);
        return denied instanceof Denied ? denied : waitForNames;
      }
      request.destinations(known);
    }
    boolean leadsThere = request.port() == original.getPort() && isAmong(request, original);
    if (!leadsThere && settings.strict) {
      return refused(request, conflict("The host of this request is not at the address asked."));
    }
    if (!leadsThere || settings.keepsAddress) {
      request.pin(original, /* conflict= */ !leadsThere);
    }
    return Verdict.PROCEED;
  }

  private static boolean isAmong(Request request, InetSocketAddress original) {
    byte[] wanted = AddressBytes.of(original.getAddress());
    List<byte[]> addresses = request.destinationAddresses();
    return addresses != null && addresses.stream().anyMatch(one -> Arrays.equals(one, wanted));
  }

  /** An accelerator port may have chosen another site than both. */
  private static boolean contradictsHost(Request request) {
    Form form = request.target().form();
    return (form == Form.ABSOLUTE || form == Form.AUTHORITY)
        && request.httpPort().accel() == null
        && !request.target().agreesWith(request.requestFields());
  }

  private static Refusal conflict(String text) {
    return Refusal.of(409, "ERR_CONFLICT_HOST", text);
  }

  private Verdict refused(Request request, Refusal refusal) {
    if (request.head().methodId() != Method.CONNECT) {
      services.keys.seal(request); // operators see the last decisions about a URL, found by its key
    }
    return new Denied(refusal);
  }
}
