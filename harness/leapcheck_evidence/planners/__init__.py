"""The optimised planner against the closed-form one: margins of the plans, and what simulations make of them."""
