package io.loligo.core.acl;

/** A list without lines: its default. Immutable. */
record ConstantAclList(AclVerdict verdict) implements AclList {
  static final ConstantAclList ALLOW =
      new ConstantAclList(new AclVerdict(AclVerdict.Kind.ALLOWED, "no rules: allow", "", ""));
  static final ConstantAclList DENY =
      new ConstantAclList(new AclVerdict(AclVerdict.Kind.DENIED, "no rules: deny", "", ""));

  @Override
  public AclVerdict evaluate(AclInput request) {
    return verdict;
  }

  @Override
  public AclVerdict evaluate(AclInput request, byte[] destinationAddress) {
    return verdict;
  }

  @Override
  public boolean needsDestination() {
    return false;
  }

  @Override
  public boolean isEmpty() {
    return true;
  }
}
