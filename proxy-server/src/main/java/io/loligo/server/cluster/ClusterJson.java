package io.loligo.server.cluster;

import io.loligo.cluster.configuration.ConfigurationState;
import io.loligo.cluster.configuration.ConfigurationState.OfNode;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.share.ClusterPeer;
import io.loligo.cluster.share.Ring;
import io.loligo.core.caching.CacheKey;
import io.loligo.server.json.JsonWriter;
import io.loligo.server.metrics.LatencySnapshot;
import io.loligo.store.StoreStats;
import io.netty.util.NetUtil;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The cluster as JSON, for {@code /cluster}. Stateless. */
public final class ClusterJson {
  private ClusterJson() {}

  /** An object; null: this process is alone. */
  public static String of(
      @Nullable Cluster cluster,
      @Nullable PurgeMode purges,
      @Nullable ShareMode share,
      StoreStats store) {
    return (cluster == null || purges == null ? alone() : shown(cluster, purges, share, store))
        .toString();
  }

  /** The owner of {@code key}, for {@code /cluster/owner}. */
  public static String owner(SharedRing ring, CacheKey key) {
    Member owner = ring.owner(key);
    return JsonWriter.spaced()
        .beginObject()
        .member("key", key.toString())
        .member("owner", owner == null ? null : NetUtil.toSocketAddressString(owner.address()))
        .endObject()
        .toString();
  }

  private static JsonWriter alone() {
    return JsonWriter.spaced().beginObject().member("cluster", null).endObject();
  }

  private static JsonWriter shown(
      Cluster cluster, PurgeMode purges, @Nullable ShareMode share, StoreStats store) {
    ClusterState state = cluster.state();
    JsonWriter json = JsonWriter.spaced().beginObject();
    json.member("cluster", cluster.line().name());
    json.member("mode", cluster.line().mode().name().toLowerCase(Locale.ROOT));
    json.member("node", state.self().node().toString());
    json.member("view", state.view().number());
    json.member("view_changes", state.changes());
    json.member("members", state.view().members().size());
    json.member("configured", state.configured());
    json.member("trusted", purges.isTrusted());
    json.name("purges").beginObject();
    json.member("published", purges.published());
    json.member("received", purges.received());
    json.member("lag", purges.lag());
    json.member("revalidations", purges.revalidations());
    json.endObject();
    json.member("dropped_messages", cluster.droppedMessages());
    json.member("closed_connections", cluster.closedConnections());
    if (share != null) {
      json.member("drained", share.isDrained());
      json.member("behind", share.isBehind());
      show(share.ring(), store, json);
    }
    Ring ring = share == null ? Ring.empty() : share.ring().ring();
    ConfigurationState configurations = cluster.configurations();
    json.member("configurations", configurations.different());
    json.member("configuration_alarm", configurations.isAlarmed());
    json.name("nodes").beginArray();
    for (Member member : state.view().members()) {
      json.row().beginObject();
      json.member("name", member.name());
      json.member("address", NetUtil.toSocketAddressString(member.address()));
      json.member("bodies", NetUtil.toSocketAddressString(member.bodies()));
      json.member("weight", member.weight());
      json.member("draining", member.draining());
      json.member("protocol", member.protocol());
      json.member("node", member.id().node().toString());
      json.member("self", member.id().equals(state.self()));
      show(configurations.nodes().get(member.id()), cluster.steps().nanos(), json);
      ClusterPeer peer = peer(ring, member.id());
      if (peer != null) {
        json.name("keys_percent").value(100 * ring.share(peer));
        json.member("asked", !peer.health().isOut());
      }
      json.endObject();
    }
    return json.endRows().endArray().endObject();
  }

  private static void show(SharedRing ring, StoreStats store, JsonWriter json) {
    json.name("share").beginObject();
    for (ShareCount count : ShareCount.values()) {
      json.member(count.member(), ring.value(count));
    }
    json.member("copies", store.copies());
    json.member("copy_bytes", store.copyBytes());
    LatencySnapshot times = ring.acknowledgements();
    json.member("acknowledgement_p50_us", micros(times, 50));
    json.member("acknowledgement_p99_us", micros(times, 99));
    json.endObject();
  }

  private static long micros(LatencySnapshot times, int percent) {
    return TimeUnit.NANOSECONDS.toMicros(times.percentileNanos(percent));
  }

  private static @Nullable ClusterPeer peer(Ring ring, NodeRun id) {
    for (ClusterPeer peer : ring.peers()) {
      if (peer.member().id().equals(id)) {
        return peer;
      }
    }
    return null;
  }

  /**
   * Shows {@code one}.
   *
   * @param one null: not announced yet, or by a version that announces none
   */
  private static void show(@Nullable OfNode one, long nowNanos, JsonWriter json) {
    if (one == null) {
      return;
    }
    json.member("configuration", String.format(Locale.ROOT, "%016x", one.hash()));
    long nanos = nowNanos - one.changedNanos();
    json.member("configuration_age_s", TimeUnit.NANOSECONDS.toSeconds(nanos));
    json.name("differs_in").beginArray();
    one.differsIn().forEach(json::value);
    json.endArray();
  }
}
