package io.loligo.core.caching;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A test of an action that the RFC allows a cache (MAY), and that this one does. */
@Test
@Tag("MAY")
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface May {}
