package io.loligo.server.exchange.admission;

import io.loligo.server.transport.ConnectionTable;
import io.loligo.server.transport.SocketEnds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads marks of connections for one event loop. One pass over the table at a time answers all who
 * wait for its begin, so that many new connections cost two passes. Confined to the event loop; a
 * pass is made by another thread.
 */
final class ConnectionMarks {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionMarks.class);

  private record Waiting(SocketEnds ends, LongConsumer then) {}

  private final ConnectionTable table;
  private final Executor reader;
  private final Executor loop;
  private List<Waiting> waiting = new ArrayList<>();
  private boolean reading;

  /** {@code reader} may block; {@code loop} is the event loop. */
  ConnectionMarks(ConnectionTable table, Executor reader, Executor loop) {
    this.table = table;
    this.reader = reader;
    this.loop = loop;
  }

  /** Tells {@code then} the mark; 0 for a connection that the table has not. */
  void find(SocketEnds ends, LongConsumer then) {
    waiting.add(new Waiting(ends, then));
    if (!reading) {
      read();
    }
  }

  private void read() {
    List<Waiting> asked = waiting;
    waiting = new ArrayList<>();
    Set<SocketEnds> wanted = new HashSet<>();
    for (Waiting one : asked) {
      wanted.add(one.ends);
    }
    reading = true;
    reader.execute(
        () -> {
          Map<SocketEnds, Long> found = marks(wanted);
          loop.execute(() -> tell(asked, found));
        });
  }

  private Map<SocketEnds, Long> marks(Set<SocketEnds> wanted) {
    try {
      return table.marks(wanted);
    } catch (IOException | RuntimeException | OutOfMemoryError e) { // all who wait go on
      LOG.warn(
          "marks of connections count as 0: {}; next: load the module"
              + " nf_conntrack, and let the process read /proc/net/nf_conntrack",
          e.toString());
      return Map.of();
    }
  }

  private void tell(List<Waiting> asked, Map<SocketEnds, Long> found) {
    reading = false;
    if (!waiting.isEmpty()) {
      read();
    }
    for (Waiting one : asked) {
      one.then.accept(found.getOrDefault(one.ends, 0L));
    }
  }
}
