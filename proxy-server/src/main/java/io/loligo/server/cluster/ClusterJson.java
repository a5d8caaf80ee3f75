package io.loligo.server.cluster;

import io.loligo.cluster.group.Member;
import io.loligo.server.json.JsonWriter;
import java.net.InetSocketAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The cluster as JSON, for {@code /cluster}. Stateless. */
public final class ClusterJson {
  private ClusterJson() {}

  /** An object; null: this process is alone. */
  public static String of(@Nullable Cluster cluster, @Nullable PurgeMode purges) {
    return (cluster == null || purges == null ? alone() : shown(cluster, purges)).toString();
  }

  private static JsonWriter alone() {
    return JsonWriter.spaced().beginObject().member("cluster", null).endObject();
  }

  private static JsonWriter shown(Cluster cluster, PurgeMode purges) {
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
    json.name("nodes").beginArray();
    for (Member member : state.view().members()) {
      json.row().beginObject();
      json.member("name", member.name());
      json.member("address", text(member.address()));
      json.member("bodies", text(member.bodies()));
      json.member("weight", member.weight());
      json.member("draining", member.draining());
      json.member("protocol", member.protocol());
      json.member("node", member.id().node().toString());
      json.member("self", member.id().equals(state.self()));
      json.endObject();
    }
    return json.endRows().endArray().endObject();
  }

  private static String text(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
  }
}
