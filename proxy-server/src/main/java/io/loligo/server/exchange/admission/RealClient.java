package io.loligo.server.exchange.admission;

import io.loligo.core.message.IpText;
import io.loligo.core.message.NotedAddresses;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.settings.RealClientSettings;

/**
 * Finds the client of a request that came through trusted proxies, the indirect client: {@code
 * follow_x_forwarded_for}. Immutable.
 *
 * <p>The address of the connection decides whether the last noted address is believed, and each
 * believed address decides about the one before it. The connection itself keeps its address: limits
 * of connections and X-Forwarded-For of the forwarded request use that one.
 */
final class RealClient {
  /** The most noted addresses that are read, as in Squid: {@value}. */
  static final int MAX_ADDRESSES = 64;

  private final RealClientSettings settings;

  RealClient(RealClientSettings settings) {
    this.settings = settings;
  }

  /** Whether some proxies are trusted. */
  boolean isWanted() {
    return !settings.follow.isEmpty();
  }

  /** Tells {@code request} and its record the indirect client, if there is one. */
  void find(Request request) {
    if (!isWanted()) {
      return;
    }
    NotedAddresses noted = NotedAddresses.in(request.requestFields(), settings.field);
    if (noted == null) {
      return;
    }
    byte[] found = null;
    for (int i = 0; i < MAX_ADDRESSES && settings.follow.evaluate(request).allowed(); i++) {
      byte[] next = noted.next();
      if (next == null) {
        break;
      }
      found = next;
      request.indirectClient(found);
    }
    if (found == null) {
      return;
    }
    if (settings.forLogs) {
      request.record().clientText = IpText.text(found);
    }
    if (!settings.forAcls) {
      request.noIndirectClient();
    }
  }
}
