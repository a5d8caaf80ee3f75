package io.loligo.core.config;

/** Grammars of directive values. Immutable. */
public enum ValueType {
  BYTES("NUMBER bytes|KB|MB|GB"),
  /** The first line whose ACLs match holds. */
  BYTES_BY_ACL("NUMBER bytes|KB|MB|GB [[!]ACL...]"),
  /** A number without unit is kilobytes. */
  KILOBYTES("NUMBER bytes|KB|MB|GB"),
  /** Kept in seconds. */
  SECONDS("NUMBER second|minute|hour|day|week|fortnight|month|year|decade"),
  /** Kept in milliseconds. */
  MILLISECONDS("NUMBER millisecond|second|minute|hour|day|week|fortnight|month|year|decade"),
  ON_OFF("on|off"),
  INTEGER("NUMBER"),
  CHOICE("one of the words"),
  TEXT("TEXT"),
  PATH("PATH"),
  ADDRESSES("ADDRESS..."),
  /** {@code allow|deny acl...}, one line of a list. */
  RULES("allow|deny [!]ACL..."),
  /** A grammar of its own. */
  LINE("...");

  private final String form;

  ValueType(String form) {
    this.form = form;
  }

  /** The form of a value. */
  public String form() {
    return form;
  }
}
