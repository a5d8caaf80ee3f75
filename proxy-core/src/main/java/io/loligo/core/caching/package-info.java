/**
 * What may be stored, reused and must be validated (RFC 9111), as pure functions of time, request,
 * stored response and settings.
 */
package io.loligo.core.caching;
