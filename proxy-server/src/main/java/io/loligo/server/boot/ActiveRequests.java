package io.loligo.server.boot;

import io.loligo.core.message.RequestTarget;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.manager.LoopFacts.ActiveRequest;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.traffic.TrafficView;
import io.netty.util.NetUtil;
import java.util.ArrayList;
import java.util.List;

/** The exchanges in progress on one event loop, for the manager pages. Confined to the loop. */
final class ActiveRequests {
  private static final int MAX_URL = 500;
  private static final String NONE = "-";

  private final ClientConnections clients;
  private final TrafficView view;

  /** {@code view} tells how clients and URLs are shown. */
  ActiveRequests(ClientConnections clients, TrafficView view) {
    this.clients = clients;
    this.view = view;
  }

  /** Copies of at most {@link Loop#MOST_SHOWN}. */
  List<ActiveRequest> copy() {
    List<ActiveRequest> all = new ArrayList<>();
    clients.inProgress(
        record -> {
          if (all.size() < Loop.MOST_SHOWN) {
            all.add(copy(record));
          }
        });
    return all;
  }

  private ActiveRequest copy(ExchangeRecord record) {
    String url = view.url(url(record));
    return new ActiveRequest(
        view.client(record.clientText),
        record.local == null ? NONE : NetUtil.toSocketAddressString(record.local),
        url.length() > MAX_URL ? url.substring(0, MAX_URL) : url,
        record.tag.name(),
        record.clientBytesIn,
        record.startMillis,
        record.user == null ? NONE : record.user);
  }

  private static String url(ExchangeRecord record) {
    RequestTarget target = record.target;
    return record.url != null ? record.url : target == null ? NONE : target.url();
  }
}
