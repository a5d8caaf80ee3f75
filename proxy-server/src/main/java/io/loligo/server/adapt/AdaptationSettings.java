package io.loligo.server.adapt;

import io.loligo.core.acl.AclList;
import java.util.List;

/**
 * The services of one configuration, and the rules that choose among them. Immutable.
 *
 * @param icap values that all services share
 * @param rules by the order of their first line
 * @param meta further fields of ICAP requests
 * @param sendsClientAddress whether services learn the client's address
 * @param indirectClient whether that is the address behind trusted proxies
 * @param sendsUser whether services learn the user
 * @param userField the name of the field with the user
 * @param encodesUser whether its value is in base64
 */
public record AdaptationSettings(
    IcapSettings icap,
    List<Rule> rules,
    List<Meta> meta,
    boolean sendsClientAddress,
    boolean indirectClient,
    boolean sendsUser,
    String userField,
    boolean encodesUser) {
  /** The {@code adaptation_access} lines of one group. */
  public record Rule(ServiceGroup group, AclList access) {}

  /** One {@code adaptation_meta} line. */
  public record Meta(String name, String value, AclList when) {}
}
