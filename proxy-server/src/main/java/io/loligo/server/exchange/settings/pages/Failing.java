package io.loligo.server.exchange.settings.pages;

import java.util.Locale;

/**
 * The failures that have a built-in page. Their texts are in a file of each language, under the
 * name of the constant.
 */
public enum Failing {
  ACCESS_DENIED("ERR_ACCESS_DENIED", Party.PROXY),
  FORWARDING_DENIED("ERR_FORWARDING_DENIED", Party.PROXY),
  LOGIN_REQUIRED("ERR_CACHE_ACCESS_DENIED", Party.CLIENT),
  MANAGER_PASSWORD_REQUIRED("ERR_CACHE_MGR_ACCESS_DENIED", Party.CLIENT),
  MANAGER_PAGE_UNKNOWN("ERR_INVALID_URL", Party.CLIENT),
  CANNOT_FORWARD("ERR_CANNOT_FORWARD", Party.PROXY),
  HOST_CONFLICT("ERR_CONFLICT_HOST", Party.CLIENT),
  CONNECT_FAILED("ERR_CONNECT_FAIL", Party.ORIGIN),
  NAME_NOT_RESOLVED("ERR_DNS_FAIL", Party.ORIGIN),
  HELPER_FAILED("ERR_GATEWAY_FAILURE", Party.PROXY),
  ADAPTATION_FAILED("ERR_ICAP_FAILURE", Party.PROXY),
  /** A hook of the application that runs the proxy in itself. */
  PROXY_FAILED("ERR_INTERNAL", Party.PROXY),
  LENGTH_REQUIRED("ERR_INVALID_REQ", 411, 411, Party.CLIENT),
  URL_TOO_LONG("ERR_INVALID_REQ", 414, 414, Party.CLIENT),
  REQUEST_HEAD_TOO_LARGE("ERR_INVALID_REQ", 431, 431, Party.CLIENT),
  INVALID_REQUEST("ERR_INVALID_REQ", Party.CLIENT),
  INVALID_RESPONSE("ERR_INVALID_RESP", Party.ORIGIN),
  NOT_STORED("ERR_ONLY_IF_CACHED_MISS", Party.CLIENT),
  ORIGIN_FAILED("ERR_ORIGIN_FAILED", Party.ORIGIN),
  OVERLOADED("ERR_OVERLOADED", Party.PROXY),
  PURGE_BUSY("ERR_PURGE_BUSY", Party.PROXY),
  PURGE_FAILED("ERR_PURGE_FAILED", Party.PROXY),
  RESPONSE_CUT("ERR_READ_ERROR", Party.ORIGIN),
  RESPONSE_LATE("ERR_READ_TIMEOUT", Party.ORIGIN),
  PARENT_REFUSED("ERR_RELAY_REMOTE", Party.ORIGIN),
  REQUEST_LATE("ERR_REQUEST_TIMEOUT", Party.CLIENT),
  NO_SECURE_CONNECTION("ERR_SECURE_CONNECT_FAIL", Party.ORIGIN),
  RESPONSE_TOO_LARGE("ERR_TOO_BIG", 403, 403, Party.PROXY),
  /** The origin's limit, which is below that of this proxy. */
  HEAD_TOO_LARGE_FOR_ORIGIN("ERR_TOO_BIG", 431, 431, Party.CLIENT),
  RESPONSE_HEAD_TOO_LARGE("ERR_TOO_BIG", 500, 599, Party.ORIGIN),
  REQUEST_CONTENT_TOO_LARGE("ERR_TOO_BIG", Party.CLIENT),
  TOO_MANY_LOGINS("ERR_TOO_MANY_LOGINS", Party.CLIENT),
  TOO_MANY_REQUESTS("ERR_TOO_MANY_REQUESTS", Party.CLIENT),
  REQUEST_UNSUPPORTED("ERR_UNSUP_REQ", Party.CLIENT),
  FORWARDING_LOOP("ERR_FORWARDING_LOOP", Party.PROXY),
  SEND_FAILED("ERR_WRITE_ERROR", Party.ORIGIN),
  NO_RESPONSE("ERR_ZERO_SIZE_OBJECT", Party.ORIGIN);

  /** The party on whose side the cause is. */
  public enum Party {
    /** The client, its user or its network. */
    CLIENT,
    /** This proxy, or its administrators. */
    PROXY,
    /** The origin, another proxy on the way to it, or the network to it. */
    ORIGIN;

    /** The name in problem details. */
    public String token() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final String errorCode;
  private final int firstStatus;
  private final int lastStatus;
  private final Party party;

  Failing(String errorCode, Party party) {
    this(errorCode, 0, 999, party);
  }

  Failing(String errorCode, int firstStatus, int lastStatus, Party party) {
    this.errorCode = errorCode;
    this.firstStatus = firstStatus;
    this.lastStatus = lastStatus;
    this.party = party;
  }

  /**
   * The failure with this name and status. A name that only {@code deny_info} knows is a denial.
   *
   * @param errorCode Squid's ERR_ name
   */
  static Failing of(String errorCode, int status) {
    for (Failing one : values()) {
      if (one.errorCode.equals(errorCode)
          && one.firstStatus <= status
          && status <= one.lastStatus) {
        return one;
      }
    }
    return ACCESS_DENIED;
  }

  /** Squid's ERR_ name. */
  public String errorCode() {
    return errorCode;
  }

  /** The party on whose side the cause is. */
  public Party party() {
    return party;
  }

  /** The name of its texts. */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
