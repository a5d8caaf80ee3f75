package io.loligo.server.cluster;

import io.loligo.cluster.Steps;
import io.loligo.cluster.group.Group;
import io.loligo.cluster.limits.SharedLimit;
import io.loligo.cluster.limits.SharedLimits;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.shaping.RateDirectives;
import io.loligo.server.shaping.RequestRate;
import io.loligo.server.time.TimeSource;
import java.util.List;

/**
 * The {@code loligo_request_rate} lines that hold for all nodes. Requests that passed elsewhere are
 * taken from the buckets here, so that an event loop sees one bucket and nothing of the cluster.
 * Thread-safe.
 */
public final class RequestLimits implements AutoCloseable {
  private final Steps steps;
  private final TimeSource time;
  private final SharedLimits limits;

  /** Those of {@code config}; knows no other node until {@link #start}. */
  public RequestLimits(Cluster cluster, TimeSource time, ProxyConfig config) {
    this(cluster.steps(), cluster.limits(), time);
    use(config);
  }

  RequestLimits(Steps steps, Group group, TimeSource time) {
    this.steps = steps;
    this.time = time;
    limits = new SharedLimits(steps, group);
  }

  /** Begins. Before the group does. */
  public void start() {
    steps.execute(limits::start);
  }

  /** The lines of {@code config} are in force. */
  public void use(ProxyConfig config) {
    use(config.get(RateDirectives.REQUEST_RATE));
  }

  void use(List<RequestRate> rates) {
    List<Limit> shared =
        rates.stream().filter(RequestRate::isShared).map(rate -> new Limit(rate, time)).toList();
    steps.execute(() -> limits.use(shared));
  }

  private record Limit(RequestRate rate, TimeSource time) implements SharedLimit {
    @Override
    public long id() {
      return rate.sharedId();
    }

    @Override
    public void untold(Names names) {
      rate.untold(names::add);
    }

    @Override
    public void told(long name, int count) {
      rate.told(name, count);
    }

    @Override
    public void passedElsewhere(long name, int count, int nodes) {
      rate.passedElsewhere(name, count, nodes, time.nanos());
    }
  }

  /** Ends. */
  @Override
  public void close() {
    steps.execute(limits::close);
  }
}
