package io.loligo.server.cluster;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;
import org.jspecify.annotations.Nullable;

/** Directives of the cluster. */
public final class ClusterDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("The cluster");

  /** {@code loligo_cluster_tls}; null: the nodes speak in clear text. */
  public static final Setting<@Nullable ClusterTlsLine> TLS =
      FEATURE
          .text("loligo_cluster_tls", "")
          .form("cert=FILE key=FILE ca=FILE")
          .restart("the same files are read again at a reload, other names only at a start")
          .with(ClusterTlsReader::new)
          .text(
              "The certificate of this node for connections between the nodes of loligo_cluster,"
                  + " its key, and the authorities that signed the certificates of all nodes, in"
                  + " PEM. Both sides of a connection must have such a certificate, so use an"
                  + " authority of the cluster's own: whoever has a certificate of it is a"
                  + " member. A reload reads the files again, for connections that begin later;"
                  + " if one cannot be used, it fails, and the old ones stay in force.");

  /** {@code loligo_cluster}; null: this process is alone. */
  public static final Setting<@Nullable ClusterLine> CLUSTER =
      FEATURE
          .text("loligo_cluster", "")
          .form(
              "NAME listen=ADDRESS:PORT members=HOST:PORT,...|dns:NAME:PORT|file:PATH"
                  + " mode=purge|share [bodies=PORT] [weight=N] [connections=N] [copies=1|2]"
                  + " [insecure]")
          .restart("the other nodes know this one by its name and its ports")
          .with(ClusterReader::new)
          .text(
              "This process is a node of the cluster NAME. The group port of listen= is for"
                  + " messages between the nodes; 0.0.0.0 and [::] stand for the address of the"
                  + " machine that members= lists with that port, else for the first that is not"
                  + " loopback. members= says where the other nodes are: a list, which may contain"
                  + " this node; the addresses of a name, asked every 5 seconds, while the JVM"
                  + " keeps an answer for 30; or a file with one HOST:PORT in a line, read every 5"
                  + " seconds. mode=purge: each purge reaches all nodes. mode=share: also, each"
                  + " response is fetched and stored by one node, its owner, and the others stream"
                  + " it from there; all nodes then need the same lines about caching, and the same"
                  + " names of http_port lines. bodies=: the port for that, by default the one"
                  + " after the group port. weight=: the share of this node in the keys of"
                  + " mode=share, from 1 to 1000, 100 by default."
                  + " connections=: most connections of this node to the port for bodies of each"
                  + " other one, 1024 by default; the event loops divide them. A request waits up"
                  + " to a second for a free one, then it goes on as if the node had refused it."
                  + " copies=2, with mode=share: the node second in rank keeps a copy of each"
                  + " response that was hit twice, and answers if the owner fails; such responses"
                  + " take memory and disk on two nodes. All nodes need the same number."
                  + " Unless listen= and all members of"
                  + " a list are loopback addresses, loligo_cluster_tls is required; insecure"
                  + " waives it, and then everybody who reaches the port can purge.");

  private ClusterDirectives() {}
}
