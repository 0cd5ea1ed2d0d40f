{# No person known to be in the table is found with a chance above max_risk. The number of failures is that of people who are. #}
{% test max_risk(model, quasi, max_risk, person_key=none) %}
    {{ config(fail_calc="coalesce(sum(people), 0)") }}
    {%- set limit = unmask.within("max_risk", max_risk, 0, 1, 0.2) -%}
    {{ unmask.broken_groups(unmask.groups(model, quasi, none, person_key), "1.0 / people > " ~ limit ~ " + 1e-9", "max(1.0 / people) as largest_risk") }}
{% endtest %}
